#include "burst/client/file.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "burst/client/file_reader.hpp"
#include "burst/client/file_system.hpp"

namespace weir::burst {
namespace {

constexpr std::uint64_t kLongest = std::numeric_limits<std::int64_t>::max();
// How old a look may be under eventual consistency.
constexpr std::chrono::milliseconds kStale{100};

bool fits(std::uint64_t offset, std::uint64_t length) {
  return offset <= kLongest && length <= kLongest - offset;
}

}  // namespace

File::File(FileSystem& system, std::shared_ptr<SharedFile> shared, const Policy& policy, int flags,
           const Opened& opened)
    : system_(system),
      shared_(std::move(shared)),
      policy_(policy),
      flags_(flags),
      seen_size_(opened.attributes.size),
      in_backing_(opened.in_backing),
      looked_at_(std::chrono::steady_clock::now()) {
  const std::lock_guard lock(shared_->mutex);
  seen_.insert(opened.extents);
  for (const Extent& extent : opened.extents) seen_newest_ = std::max(seen_newest_, extent.where.version);
  shared_->opens.push_back(this);
  --shared_->coming;
}

File::~File() { close(); }

std::uint64_t File::size_locked() const { return std::max(seen_size_, shared_->mine.end()); }

bool File::is_in_backing() {
  const std::lock_guard lock(shared_->mutex);
  return in_backing_;
}

Transfer File::pread(std::span<std::byte> into, std::uint64_t offset) {
  if ((flags_ & O_ACCMODE) == O_WRONLY) return {EBADF, 0};
  if (!fits(offset, into.size())) return {EINVAL, 0};
  if (into.empty()) return {0, 0};
  if (is_verified()) return read_and_check(into, offset);
  if (const int error = policy_.before_read(*this, {offset, offset + into.size()}); error != 0)
    return {error, 0};
  return FileReader(system_, *this).read(into, offset);
}

Transfer File::pwrite(ByteSpan bytes, std::uint64_t offset) {
  if ((flags_ & O_ACCMODE) == O_RDONLY) return {EBADF, 0};
  if (offset > kLongest) return {EINVAL, 0};
  if (!fits(offset, bytes.size())) return {EFBIG, 0};
  if (bytes.empty()) return {0, 0};
  LoggedPieces pieces;
  SegmentLog::Pin pin;
  if (const int error = system_.write_log(bytes, offset, pieces, pin); error != 0) return {error, 0};
  {
    const std::lock_guard lock(shared_->mutex);
    for (const Extent& piece : pieces) shared_->mine.insert(piece.bytes, piece.where);
    ++shared_->writes;
  }
  if (is_verified())
    if (const int error = note_write({pieces.data(), pieces.size()}); error != 0) return {error, 0};
  const int error = policy_.after_write(*this, {offset, offset + bytes.size()});
  return {error, error == 0 ? bytes.size() : 0};
}

Transfer File::append(ByteSpan bytes, std::uint64_t* where) {
  if ((flags_ & O_ACCMODE) == O_RDONLY) return {EBADF, 0};
  if (bytes.empty()) return {0, 0};
  if (policy_.appends_at_once()) {
    // What could not be published before lies before it.
    if (const int error = attach_all(); error != 0) return {error, 0};
    LoggedPieces pieces;
    SegmentLog::Pin pin;
    std::uint64_t begin = 0;
    if (const int error = system_.write_log(bytes, 0, pieces, pin); error != 0) return {error, 0};
    if (const int error = shared_->append(system_, {pieces.begin(), pieces.end()}, begin); error != 0)
      return {error, 0};
    if (where != nullptr) *where = begin;
    return {0, bytes.size()};
  }
  std::uint64_t held = 0;
  if (const int error = policy_.before_resize(*this, held); error != 0) return {error, 0};
  std::uint64_t own_end = 0;
  {
    const std::lock_guard lock(shared_->mutex);
    own_end = shared_->mine.end();
  }
  const auto room = system_.session().ask(id().home(), ReserveEnd{id(), bytes.size(), own_end});
  Transfer done{room.error, 0};
  if (room) {
    if (where != nullptr) *where = room.body.begin;
    done = pwrite(bytes, room.body.begin);
  }
  if (const int error = policy_.after_resize(*this, held); error != 0 && done.error == 0) return {error, 0};
  return done;
}

Transfer File::read(std::span<std::byte> into) {
  const std::lock_guard lock(position_mutex_);
  const Transfer done = pread(into, position_);
  position_ += done.bytes;
  return done;
}

Transfer File::write(ByteSpan bytes) {
  const std::lock_guard lock(position_mutex_);
  std::uint64_t at = position_;
  const Transfer done = (flags_ & O_APPEND) != 0 ? append(bytes, &at) : pwrite(bytes, at);
  if (done.error == 0 && done.bytes > 0) position_ = at + done.bytes;
  return done;
}

std::uint64_t File::tell() {
  const std::lock_guard lock(position_mutex_);
  return position_;
}

int File::seek(std::int64_t offset, int whence, std::uint64_t& position) {
  const std::lock_guard lock(position_mutex_);
  std::uint64_t base = 0;
  if (whence == SEEK_CUR) {
    base = position_;
  } else if (whence == SEEK_END) {
    Attributes attributes;
    if (const int error = stat(attributes); error != 0) return error;
    base = attributes.size;
  } else if (whence != SEEK_SET) {
    return EINVAL;
  }
  std::int64_t to = 0;
  if (__builtin_add_overflow(static_cast<std::int64_t>(base), offset, &to)) return EOVERFLOW;
  if (to < 0) return EINVAL;
  position = position_ = static_cast<std::uint64_t>(to);
  return 0;
}

int File::stat(Attributes& attributes, std::uint32_t* names) {
  std::uint64_t size = 0;
  {
    const std::lock_guard lock(shared_->mutex);
    size = seen_size_;
  }
  if (const int error = policy_.before_stat(system_, id(), size); error != 0) return error;
  const auto answer = system_.session().ask(id().home(), StatFile{id()});
  if (!answer) return answer.error;
  attributes = answer.body.attributes;
  if (names != nullptr) *names = answer.body.names;
  const std::lock_guard lock(shared_->mutex);
  attributes.size = std::max(attributes.size, shared_->mine.end());
  return 0;
}

int File::resize(std::uint64_t size, bool only_grow) {
  if ((flags_ & O_ACCMODE) == O_RDONLY) return EINVAL;
  if (size > kLongest) return EINVAL;
  // What is not published yet has no place in the owner's order: publishing would bring back what is cut
  // here.
  std::uint64_t held = 0;
  if (const int error = policy_.before_resize(*this, held); error != 0) return error;
  const std::lock_guard turn(shared_->publishing);
  const auto answer = system_.session().ask(id().home(), Truncate{id(), size, only_grow});
  const int released = policy_.after_resize(*this, held);
  if (!answer) return answer.error;
  if (!only_grow) {
    was_cut(size);
    return released;
  }
  const std::lock_guard lock(shared_->mutex);
  shared_->note_other_change();
  for (File* const open : shared_->opens) open->seen_size_ = std::max(open->seen_size_, size);
  return released;
}

void File::was_cut(std::uint64_t size) {
  const std::lock_guard lock(shared_->mutex);
  shared_->note_other_change();
  shared_->mine.erase({size, kLongest});
  for (File* const open : shared_->opens) {
    open->seen_.erase({size, kLongest});
    open->seen_size_ = size;
  }
}

int File::close() {
  if (std::exchange(closed_, true)) return 0;
  int error = policy_.before_close(*this);
  int closed = 0;
  if (policy_.publishes_on_close())
    closed = shared_->publish(system_, kWholeFile, true);
  else
    closed = system_.session().ask(id().home(), CloseFile{id()}).error;
  if (closed != 0) error = closed;
  bool last = false;
  {
    const std::lock_guard lock(shared_->mutex);
    std::erase(shared_->opens, this);
    last = shared_->opens.empty();
  }
  if (last) unlock_all();
  system_.forget_if_unused(shared_);
  system_.tell_log_use();
  return error;
}

int File::publish_as_close() {
  if (closed_) return 0;
  const int error = policy_.before_close(*this);
  const int attached = policy_.publishes_on_close() ? attach_all() : 0;
  return attached != 0 ? attached : error;
}

int File::attach(Span bytes) { return shared_->publish(system_, bytes, false); }
int File::attach_all() { return shared_->publish(system_, kWholeFile, false); }

void File::see(const std::vector<Extent>& newer, std::uint64_t version) {
  if (!newer.empty()) seen_size_ = std::max(seen_size_, newer.back().bytes.end);
  if (seen_newest_ < version) {
    seen_.insert(newer);
    seen_newest_ = version;
    return;
  }
  // A look that was taken while this was under way may know something newer.
  for (const Extent& extent : newer)
    for (const Piece& known : seen_.cover(extent.bytes))
      if (!known.where || known.where->version < version)
        seen_.insert(known.bytes, extent.where.at(known.bytes.begin - extent.bytes.begin));
}

// What is told in several answers must be of one moment: where the file was changed meanwhile it is asked
// about again, up to the limit.
Outcome<Queried> File::ask_owner(Span bytes) {
  const std::uint64_t end = std::min(bytes.end, kLongest);
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(system_.session().job().limit_ms);
  for (;;) {
    auto all = system_.session().ask(id().home(), Query{id(), bytes.begin, end});
    bool is_same = true;
    while (is_same && all && all.body.end < end) {
      auto more = system_.session().ask(id().home(), Query{id(), all.body.end, end});
      if (!more) return more;
      is_same = more.body.version == all.body.version;
      all.body.end = more.body.end;
      all.body.extents.insert(all.body.extents.end(), more.body.extents.begin(), more.body.extents.end());
    }
    if (is_same) return all;
    if (std::chrono::steady_clock::now() > until) return {EIO, {}};
  }
}

// Threads look and publish at the same time, and answers come back in any order. One that is older than
// another look's is asked for again; what was published meanwhile and is not in it is put over it.
int File::query(Span bytes) {
  for (;;) {
    const SharedFile::Looking looking(*shared_);
    const auto answer = ask_owner(bytes);
    if (!answer) return answer.error;
    const std::lock_guard lock(shared_->mutex);
    if (answer.body.version < looked_version_ || !shared_->knows_since(looking.begin())) continue;
    looked_version_ = answer.body.version;
    by_token_.looked.clear();  // what was written under tokens may be in a ring still
    seen_.erase(bytes);
    seen_.insert(answer.body.extents);
    for (const Extent& extent : answer.body.extents)
      seen_newest_ = std::max(seen_newest_, extent.where.version);
    seen_size_ = answer.body.size;
    in_backing_ = in_backing_ || answer.body.in_backing;
    looked_at_ = std::chrono::steady_clock::now();
    shared_->for_each_since(looking.begin(), [&](const SharedFile::Publication& own) {
      if (own.version > answer.body.version) see(own.extents, own.version);
    });
    return 0;
  }
}

int File::query_all() { return query(kWholeFile); }

int File::owners(Span bytes, std::vector<Extent>& extents) {
  auto answer = ask_owner(bytes);
  extents = std::move(answer.body.extents);
  return answer.error;
}

int File::detach(Span bytes) { return shared_->take_back(system_, bytes); }

int File::flush() {
  if (const int error = attach_all(); error != 0) return error;
  if (const int error = drain_tokens(); error != 0) return error;
  return system_.session().ask(id().home(), Flush{id()}).error;
}

Transfer File::read_peer(std::uint64_t client, std::span<std::byte> into, std::uint64_t offset) {
  if (!fits(offset, into.size())) return {EINVAL, 0};
  const Span bytes{offset, offset + into.size()};
  std::vector<Extent> extents;
  if (const int error = owners(bytes, extents); error != 0) return {error, 0};
  std::erase_if(extents, [&](const Extent& extent) { return extent.where.client != client; });
  std::uint64_t total = 0;
  for (const Extent& extent : extents) total += extent.bytes.size();
  if (total != into.size()) return {ENODATA, 0};
  const int error = FileReader(system_, *this).bring(extents, into, offset);
  return {error, error == 0 ? total : 0};
}

int File::refresh() {
  {
    const std::lock_guard lock(shared_->mutex);
    if (std::chrono::steady_clock::now() - looked_at_ < kStale) return 0;
  }
  return query_all();
}

int File::publish_later() {
  system_.publish_later(shared_);
  return 0;
}

}  // namespace weir::burst
