#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "burst/shard.hpp"

namespace weir::burst {
namespace {

// off_t's: what no file can be longer than.
constexpr std::uint64_t kLongest = std::numeric_limits<std::int64_t>::max();

std::vector<Extent> extents_of(const ExtentMap& map, Span range) {
  std::vector<Extent> extents;
  map.for_each_in(range, [&](Span bytes, const Place& where) { extents.push_back({bytes, where}); });
  return extents;
}

bool is_sane(const Attach& request) {
  return std::ranges::all_of(request.pieces, [](const LogPiece& piece) {
    return piece.length > 0 && piece.begin <= kLongest && piece.length <= kLongest - piece.begin &&
           piece.segment <= std::numeric_limits<std::uint32_t>::max();
  });
}

}  // namespace

Stated Shard::stated(FileId id, const FileState& file) {
  return {.file = id,
          .elsewhere = false,
          .in_backing = file.in_backing,
          .path = file.in_backing ? file.path : std::string(),
          .attributes = file.attributes};
}

// Nobody will ask for it again.
void Shard::let_go(FileId id, const FileState& file, Changes& changes) {
  if (file.in_backing && !file.named) backing_.unlink(file.path);
  changes.emplace_back(FileGone{id});
}

Outcome<Opened> Shard::opened(FileId id, const FileState& file, bool truncate, bool want_extents,
                              std::uint64_t client, Changes& changes) {
  Opened answer{.file = id,
                .elsewhere = false,
                .in_backing = file.in_backing,
                .attributes = file.attributes,
                .extents = {}};
  if (truncate) {
    if (file.in_backing)
      if (const int error = backing_.truncate(file.path, 0); error != 0) return {error, {}};
    changes.emplace_back(Resized{id, 0, ports_.now_ns()});
    answer.attributes.size = 0;
  } else if (want_extents) {
    answer.extents = extents_of(file.published, {0, kLongest});
  }
  if (client != 0) {
    const auto before = file.opens.find(client);
    changes.emplace_back(OpenCount{id, client, before == file.opens.end() ? 1 : before->second + 1});
  }
  return {0, std::move(answer)};
}

Outcome<Opened> Shard::open_file(const Header& header, const OpenFile& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
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
  if (!is_sane(request)) return {EINVAL, {}};
  Attached answer{.version = file->version, .size = file->attributes.size};
  if (!request.pieces.empty()) {
    ++answer.version;
    for (const LogPiece& piece : request.pieces)
      answer.size = std::max(answer.size, piece.begin + piece.length);
    changes.emplace_back(Published{.file = request.file,
                                   .node = request.node,
                                   .client = request.client,
                                   .version = answer.version,
                                   .time_ns = ports_.now_ns(),
                                   .pieces = request.pieces});
  }
  if (request.close) close_once(request.file, *file, header.client, changes);
  return {0, answer};
}

Outcome<Queried> Shard::query(const Header& /*header*/, const Query& request, Changes& /*changes*/) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  if (request.begin > request.end) return {EINVAL, {}};
  return {
      0,
      {file->attributes.size, file->in_backing, extents_of(file->published, {request.begin, request.end})}};
}

Outcome<Nothing> Shard::detach(const Header& /*header*/, const Detach& request, Changes& changes) {
  if (request.file && state_.find(request.file) == nullptr) return {ESTALE, {}};
  if (request.begin > request.end) return {EINVAL, {}};
  changes.emplace_back(Withdrawn{request.file, request.begin, request.end, request.client});
  return {0, {}};
}

Outcome<Nothing> Shard::truncate(const Header& /*header*/, const Truncate& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  if (request.size > kLongest) return {EFBIG, {}};
  if (file->in_backing)
    if (const int error = backing_.truncate(file->path, request.size); error != 0) return {error, {}};
  changes.emplace_back(Resized{request.file, request.size, ports_.now_ns()});
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

Outcome<Nothing> Shard::set_path(const Header& /*header*/, const SetPath& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  if (file->path == request.path) return {0, {}};
  if (file->in_backing)
    if (const int error = backing_.rename(file->path, request.path); error != 0) return {error, {}};
  changes.emplace_back(PathSet{request.file, request.path, true});
  return {0, {}};
}

// Somebody may have renamed the file meanwhile: then it keeps its name. Who has it open still reads what the
// backing directory has of it, so that goes to a place of its own.
Outcome<Nothing> Shard::drop_name(const Header& /*header*/, const DropName& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr || !file->named || file->path != request.path) return {0, {}};
  const bool in_use = !file->opens.empty();
  const std::string hidden = fmt::format("{}/unlinked-{}", private_folder_, request.file.value);
  if (file->in_backing) {
    const int error = in_use ? backing_.rename(file->path, hidden) : backing_.unlink(file->path);
    if (error != 0 && error != ENOENT) return {error, {}};
  }
  if (in_use)
    changes.emplace_back(PathSet{request.file, file->in_backing ? hidden : file->path, false});
  else
    changes.emplace_back(FileGone{request.file});
  return {0, {}};
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
