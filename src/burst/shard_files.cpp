#include <algorithm>
#include <limits>

#include <unistd.h>

#include "burst/shard.hpp"

namespace weir::burst {
namespace {

// off_t's: what no file can be longer than.
constexpr std::uint64_t kLongest = std::numeric_limits<std::int64_t>::max();

// The first so many; if there are more, `range` ends before the next one.
std::vector<Extent> extents_of(const ExtentMap& map, Span& range, std::size_t most) {
  std::vector<Extent> extents;
  map.for_each_in(range, [&](Span bytes, const Place& where) {
    if (extents.size() == most) {
      range.end = bytes.begin;
      return false;
    }
    extents.push_back({bytes, where});
    return true;
  });
  return extents;
}

}  // namespace

template <class Request>
bool Shard::has_sane_pieces(const Request& request) const {
  return request.node < layout_.servers &&
         std::ranges::all_of(request.pieces, [](const LogPiece& one) { return is_sane(one); });
}

Stated Shard::stated(FileId id, const FileState& file) {
  return {.file = id,
          .elsewhere = false,
          .in_backing = file.in_backing,
          .path = file.path,
          .attributes = file.attributes,
          .names = file.named ? 1 + static_cast<std::uint32_t>(file.other_names.size()) : 0};
}

// Nobody will ask for it again.
void Shard::let_go(FileId id, const FileState& file, Changes& changes) {
  if (file.in_backing && !file.named) backing_.unlink(file.path);
  changes.emplace_back(FileGone{id});
}

// Whoever speaks to a server is its user; others do not get so far. The files may be anybody's.
bool Shard::allows(const FileState& file, std::uint32_t access) const {
  if (::geteuid() == 0) return true;
  if (file.in_backing && file.attributes.uid != ::geteuid()) return backing_.allows(file.path, access);
  return (access & ~(file.attributes.mode >> 6)) == 0;
}

bool Shard::is_closed_to(bool truncate, std::uint32_t access) const {
  return sealed_ && (truncate || (access & static_cast<std::uint32_t>(W_OK)) != 0);
}

void Shard::tell_extents(const FileState& file, Opened& answer) const {
  answer.has_more = file.published.size() > most_extents_;
  Span all{0, kLongest};
  if (!answer.has_more) answer.extents = extents_of(file.published, all, most_extents_);
}

Outcome<Opened> Shard::opened(FileId id, const FileState& file, bool truncate, bool want_extents,
                              std::uint64_t client, Changes& changes) {
  Opened answer{.file = id,
                .elsewhere = false,
                .in_backing = file.in_backing,
                .attributes = file.attributes,
                .has_more = false,
                .extents = {}};
  if (truncate) {
    if (is_flushing(id)) return {kAskAgain, {}};
    if (file.in_backing)
      if (const int error = backing_.truncate(file.path, 0); error != 0) return {error, {}};
    changes.emplace_back(Resized{id, 0, ports_.now_ns()});
    answer.attributes.size = 0;
  } else if (want_extents) {
    tell_extents(file, answer);
  }
  if (client != 0) {
    const auto before = file.opens.find(client);
    changes.emplace_back(OpenCount{id, client, before == file.opens.end() ? 1 : before->second + 1});
  }
  return {0, std::move(answer)};
}

Bytes Shard::answer_again(const Header& header, ByteSpan body, const Bytes& before) const {
  bool wanted = false;
  if (header.kind == Kind::open) {
    const auto request = transport::unpack<Open>(body);
    wanted = request && request->want_extents;
  } else if (header.kind == Kind::open_file) {
    const auto request = transport::unpack<OpenFile>(body);
    wanted = request && request->want_extents;
  }
  if (!wanted) return before;
  auto opened = decode_answer<Opened>(ByteSpan(before));
  const FileState* const file = opened ? state_.find(opened.body.file) : nullptr;
  if (file == nullptr) return before;
  opened.body.in_backing = file->in_backing;
  opened.body.attributes = file->attributes;
  tell_extents(*file, opened.body);
  Bytes answer = encode_answer(opened.body);
  return answer.size() > longest_answer_ ? encode_failure(EMSGSIZE) : answer;
}

Outcome<Opened> Shard::open_file(const Header& header, const OpenFile& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  if (!allows(*file, request.access)) return {EACCES, {}};
  if (is_closed_to(request.truncate, request.access)) return {EROFS, {}};
  return opened(request.file, *file, request.truncate, request.want_extents, header.client, changes);
}

void Shard::close_once(FileId id, const FileState& file, std::uint64_t client, Changes& changes) {
  const auto before = file.opens.find(client);
  if (before == file.opens.end()) return;
  changes.emplace_back(OpenCount{id, client, before->second - 1});
  if (!file.named && file.opens.size() == 1 && before->second == 1) let_go(id, file, changes);
}

Outcome<Nothing> Shard::close_file(const Header& header, const CloseFile& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  close_once(request.file, *file, header.client, changes);
  return {0, {}};
}

Outcome<Attached> Shard::attach(const Header& header, const Attach& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  if (!has_sane_pieces(request)) return {EINVAL, {}};
  if (sealed_ && !request.pieces.empty()) return {EROFS, {}};
  Attached answer{.version = file->version, .size = file->attributes.size};
  if (!request.pieces.empty()) {
    ++answer.version;
    for (const LogPiece& piece : request.pieces) {
      answer.size = std::max(answer.size, piece.begin + piece.length);
      bytes_published_ += piece.length;
    }
    changes.emplace_back(Published{.file = request.file,
                                   .node = request.node,
                                   .client = header.client,
                                   .version = answer.version,
                                   .time_ns = ports_.now_ns(),
                                   .pieces = request.pieces});
  }
  if (request.close) close_once(request.file, *file, header.client, changes);
  return {0, answer};
}

Outcome<Appended> Shard::append(const Header& header, const Append& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  if (!has_sane_pieces(request)) return {EINVAL, {}};
  const std::uint64_t begin = std::max(file->attributes.size, file->reserved_end);
  std::vector<LogPiece> pieces = request.pieces;
  for (LogPiece& piece : pieces) {
    if (begin > kLongest || piece.begin + piece.length > kLongest - begin) return {EFBIG, {}};
    piece.begin += begin;
    bytes_published_ += piece.length;
  }
  const Appended answer{.begin = begin, .version = file->version + 1};
  changes.emplace_back(Published{.file = request.file,
                                 .node = request.node,
                                 .client = header.client,
                                 .version = answer.version,
                                 .time_ns = ports_.now_ns(),
                                 .pieces = std::move(pieces)});
  return {0, answer};
}

Outcome<Queried> Shard::query(const Header& /*header*/, const Query& request, Changes& /*changes*/) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  if (request.begin > request.end) return {EINVAL, {}};
  Span told{request.begin, request.end};
  std::vector<Extent> extents = extents_of(file->published, told, most_extents_);
  return {0,
          {.version = file->version,
           .size = file->attributes.size,
           .in_backing = file->in_backing,
           .end = told.end,
           .extents = std::move(extents)}};
}

Outcome<Nothing> Shard::detach(const Header& header, const Detach& request, Changes& changes) {
  if (request.file && state_.find(request.file) == nullptr) return {ESTALE, {}};
  if (request.begin > request.end) return {EINVAL, {}};
  changes.emplace_back(Withdrawn{request.file, request.begin, request.end, header.client});
  return {0, {}};
}

Outcome<Nothing> Shard::truncate(const Header& /*header*/, const Truncate& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  if (request.size > kLongest) return {EFBIG, {}};
  if (request.only_grow && request.size <= file->attributes.size) return {0, {}};
  if (is_flushing(request.file)) return {kAskAgain, {}};
  if (file->in_backing)
    if (const int error = backing_.truncate(file->path, request.size); error != 0) return {error, {}};
  changes.emplace_back(Resized{request.file, request.size, ports_.now_ns()});
  if (request.only_grow && file->reserved_end > request.size)
    changes.emplace_back(EndReserved{request.file, file->reserved_end});
  return {0, {}};
}

Outcome<Nothing> Shard::set_attributes(const Header& /*header*/, const SetAttributes& request,
                                       Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  // Agents give the backing file what they were told when the flush began.
  if (is_flushing(request.file)) return {kAskAgain, {}};
  Attributes now = file->attributes;
  if (request.with_mode) now.mode = request.mode & 07777u;
  if (request.with_owner) {
    now.uid = request.uid;
    now.gid = request.gid;
  }
  if (request.with_time) now.modified_ns = request.modified_ns;
  now.changed_ns = ports_.now_ns();
  if (file->in_backing)
    if (const int error = backing_.set_attributes(file->path, file->attributes, now); error != 0)
      return {error, {}};
  changes.emplace_back(AttributesSet{request.file, now});
  return {0, {}};
}

Outcome<Reserved> Shard::reserve(const Header& /*header*/, const ReserveEnd& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  const std::uint64_t begin = std::max({file->attributes.size, file->reserved_end, request.own_end});
  if (begin > kLongest || request.length > kLongest - begin) return {EFBIG, {}};
  changes.emplace_back(EndReserved{request.file, begin + request.length});
  return {0, {begin}};
}

Outcome<Stated> Shard::stat_file(const Header& /*header*/, const StatFile& request, Changes& /*changes*/) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  return {0, stated(request.file, *file)};
}

Outcome<Nothing> Shard::client_gone(const Header& /*header*/, const ClientGone& request, Changes& changes) {
  for (const auto& [id, file] : state_.files()) {
    if (!file.opens.contains(request.client)) continue;
    changes.emplace_back(OpenCount{id, request.client, 0});
    if (!file.named && file.opens.size() == 1) let_go(id, file, changes);
  }
  changes.emplace_back(ClientForgotten{request.client});
  return {0, {}};
}

}  // namespace weir::burst
