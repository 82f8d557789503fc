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
  if (const int error = policy_.before_read(*this, {offset, offset + into.size()}); error != 0)
    return {error, 0};
  return FileReader(system_, *this).read(into, offset);
}

Transfer File::pwrite(ByteSpan bytes, std::uint64_t offset) {
  if ((flags_ & O_ACCMODE) == O_RDONLY) return {EBADF, 0};
  if (offset > kLongest) return {EINVAL, 0};
  if (!fits(offset, bytes.size())) return {EFBIG, 0};
  if (bytes.empty()) return {0, 0};
  std::vector<Extent> pieces;
  if (const int error = system_.write_log(bytes, offset, pieces); error != 0) return {error, 0};
  {
    const std::lock_guard lock(shared_->mutex);
    for (const Extent& piece : pieces) shared_->mine.insert(piece.bytes, piece.where);
    ++shared_->writes;
  }
  const int error = policy_.after_write(*this, {offset, offset + bytes.size()});
  return {error, error == 0 ? bytes.size() : 0};
}

Transfer File::append(ByteSpan bytes, std::uint64_t* where) {
  if ((flags_ & O_ACCMODE) == O_RDONLY) return {EBADF, 0};
  if (bytes.empty()) return {0, 0};
  std::uint64_t own_end = 0;
  {
    const std::lock_guard lock(shared_->mutex);
    own_end = shared_->mine.end();
  }
  const auto room = system_.session().ask(id().home(), ReserveEnd{id(), bytes.size(), own_end});
  if (!room) return {room.error, 0};
  if (where != nullptr) *where = room.body.begin;
  return pwrite(bytes, room.body.begin);
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

int File::stat(Attributes& attributes) {
  const auto answer = system_.session().ask(id().home(), StatFile{id()});
  if (!answer) return answer.error;
  attributes = answer.body.attributes;
  const std::lock_guard lock(shared_->mutex);
  attributes.size = std::max(attributes.size, shared_->mine.end());
  return 0;
}

int File::truncate(std::uint64_t size) {
  if ((flags_ & O_ACCMODE) == O_RDONLY) return EINVAL;
  if (size > kLongest) return EINVAL;
  // What is not published yet has no place in the owner's order: publishing would bring back what is cut
  // here.
  const std::lock_guard turn(shared_->publishing);
  const auto answer = system_.session().ask(id().home(), Truncate{id(), size});
  if (!answer) return answer.error;
  const std::lock_guard lock(shared_->mutex);
  shared_->mine.erase({size, kLongest});
  for (File* const open : shared_->opens) {
    open->seen_.erase({size, kLongest});
    open->seen_size_ = size;
  }
  return 0;
}

int File::close() {
  if (std::exchange(closed_, true)) return 0;
  int error = 0;
  if (policy_.publishes_on_close())
    error = shared_->publish(system_, kWholeFile, true);
  else
    error = system_.session().ask(id().home(), CloseFile{id()}).error;
  {
    const std::lock_guard lock(shared_->mutex);
    std::erase(shared_->opens, this);
  }
  system_.forget_if_unused(shared_);
  return error;
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

int File::query(Span bytes) {
  for (;;) {
    std::uint64_t before = 0;
    {
      const std::lock_guard lock(shared_->mutex);
      before = shared_->publications;
    }
    const auto answer =
        system_.session().ask(id().home(), Query{id(), bytes.begin, std::min(bytes.end, kLongest)});
    if (!answer) return answer.error;
    const std::lock_guard lock(shared_->mutex);
    // An own publication may have come between: then the answer may lack it.
    if (shared_->publications != before) continue;
    seen_.erase(bytes);
    seen_.insert(answer.body.extents);
    for (const Extent& extent : answer.body.extents)
      seen_newest_ = std::max(seen_newest_, extent.where.version);
    seen_size_ = answer.body.size;
    in_backing_ = answer.body.in_backing;
    looked_at_ = std::chrono::steady_clock::now();
    return 0;
  }
}

int File::query_all() { return query(kWholeFile); }

int File::owners(Span bytes, std::vector<Extent>& extents) {
  auto answer = system_.session().ask(id().home(), Query{id(), bytes.begin, std::min(bytes.end, kLongest)});
  extents = std::move(answer.body.extents);
  return answer.error;
}

int File::detach(Span bytes) {
  const std::uint64_t client = system_.session().client();
  const int error = system_.session().ask(id().home(), Detach{id(), bytes.begin, bytes.end, client}).error;
  if (error != 0) return error;
  const std::lock_guard lock(shared_->mutex);
  ++shared_->publications;
  for (File* const open : shared_->opens)
    for (const Piece& known : open->seen_.cover(bytes))
      if (known.where && known.where->client == client) open->seen_.erase(known.bytes);
  return 0;
}

int File::flush() {
  if (const int error = attach_all(); error != 0) return error;
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
