#include "burst/preload/open_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/falloc.h>
#include <unistd.h>

#include "base/moved_up.hpp"
#include "base/uncancelled.hpp"
#include "burst/client/file_system.hpp"
#include "burst/client/fill_stat.hpp"
#include "burst/preload/mount.hpp"
#include "burst/preload/process.hpp"

namespace weir::burst::preload {
namespace {

Answer answer(const Transfer& done) {
  return done.error == 0 ? Answer{static_cast<long>(done.bytes), 0} : Answer::failed(done.error);
}

std::span<std::byte> into(const iovec& part) {
  return {static_cast<std::byte*>(part.iov_base), part.iov_len};
}
ByteSpan from(const iovec& part) { return {static_cast<const std::byte*>(part.iov_base), part.iov_len}; }

// EINVAL for what readv() and writev() refuse.
int check(const iovec* parts, int count) {
  if (count < 0 || count > IOV_MAX) return EINVAL;
  std::uint64_t total = 0;
  for (int i = 0; i < count; ++i) {
    total += parts[i].iov_len;
    if (parts[i].iov_len > std::numeric_limits<ssize_t>::max() ||
        total > static_cast<std::uint64_t>(std::numeric_limits<ssize_t>::max()))
      return EINVAL;
  }
  return 0;
}

// Many parts as one.
std::vector<std::byte> gathered(const iovec* parts, int count) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < count; ++i) bytes.insert(bytes.end(), from(parts[i]).begin(), from(parts[i]).end());
  return bytes;
}

}  // namespace

class OpenFile::Turn {
 public:
  Turn(OpenFile& file, int fd) : file_(file), fd_(fd), lock_(file.turn_), shared_(file.shared_) {
    if (!shared_) {
      position = file.position_;
      return;
    }
    between_ = std::unique_lock(between_descriptors());
    set_lock(F_WRLCK);
    const off_t at = ::lseek(fd_, 0, SEEK_CUR);
    position = at < 0 ? 0 : static_cast<std::uint64_t>(at);
  }
  ~Turn() {
    if (!shared_) {
      file_.position_ = position;
      return;
    }
    ::lseek(fd_, static_cast<off_t>(position), SEEK_SET);
    set_lock(F_UNLCK);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  std::uint64_t position = 0;

  static void begin_again() {
    for (std::mutex& one : between_descriptors_) new (&one) std::mutex;
  }

 private:
  // A lock of the kernel's is the whole process's. Two descriptors of one description that were handed on by
  // exec are two open files here, and share the position.
  std::mutex& between_descriptors() const {
    return between_descriptors_[file_.id_.value % between_descriptors_.size()];
  }

  // Where the descriptor is for reading only this is refused, and readers take no turns.
  void set_lock(short type) const {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = kTurnByte;
    lock.l_len = 1;
    while (::fcntl(fd_, type == F_UNLCK ? F_SETLK : F_SETLKW, &lock) != 0 && errno == EINTR) {
    }
  }

  static constinit std::array<std::mutex, 64> between_descriptors_;

  OpenFile& file_;
  int fd_;
  std::lock_guard<std::mutex> lock_;
  bool shared_;
  std::unique_lock<std::mutex> between_;  // where it is shared
};

constinit std::array<std::mutex, 64> OpenFile::Turn::between_descriptors_;

void OpenFile::begin(FileId id, int flags, std::shared_ptr<File> file, bool shared) {
  id_ = id;
  flags_ = flags;
  file_ = std::move(file);
  ready_.store(file_.get(), std::memory_order_release);
  position_ = 0;
  shared_ = shared;
}

int OpenFile::end() {
  ready_.store(nullptr, std::memory_order_release);
  if (const int locks = lock_file_.exchange(-1); locks >= 0) ::close(locks);
  const std::shared_ptr<File> file = std::move(file_);
  file_.reset();
  return file ? file->close() : 0;
}

void OpenFile::begin_again() {
  new (&opening_) std::mutex;
  new (&turn_) std::mutex;
  // Not closed and not freed: that is for the parent to do.
  if (file_) new std::shared_ptr<File>(std::move(file_));
  file_.reset();
  ready_ = nullptr;
  users_ = 0;
}

void OpenFile::begin_turns_again() { Turn::begin_again(); }

int OpenFile::refer(std::shared_ptr<File>& file) {
  const std::lock_guard lock(opening_);
  if (!file_) {
    FileSystem* const system = Process::current().system();
    if (system == nullptr) return EIO;
    auto adopted = system->adopt(id_, flags_ & ~O_APPEND);
    if (!adopted) return adopted.error;
    file_ = std::move(adopted.body);
    ready_.store(file_.get(), std::memory_order_release);
  }
  file = file_;
  return 0;
}

// Whoever calls holds a use of this, so the file stays.
#define WEIR_FILE_OR_FAIL(file)                                                   \
  File* file = ready_.load(std::memory_order_acquire);                            \
  if (file == nullptr) {                                                          \
    std::shared_ptr<File> found;                                                  \
    if (const int error = refer(found); error != 0) return Answer::failed(error); \
    file = found.get();                                                           \
  }

bool OpenFile::can_read() const { return (flags_ & O_ACCMODE) != O_WRONLY; }
bool OpenFile::can_write() const { return (flags_ & O_ACCMODE) != O_RDONLY; }

Answer OpenFile::transfer_in(File& file, const iovec* parts, int count, std::uint64_t offset) {
  if (const int error = check(parts, count); error != 0) return Answer::failed(error);
  std::uint64_t total = 0;
  for (int i = 0; i < count; ++i) {
    if (parts[i].iov_len == 0) continue;
    const Transfer done = file.pread(into(parts[i]), offset + total);
    if (done.error != 0 && total == 0) return Answer::failed(done.error);
    total += done.bytes;
    if (done.error != 0 || done.bytes < parts[i].iov_len) break;
  }
  return {static_cast<long>(total), 0};
}

Answer OpenFile::transfer_out(File& file, const iovec* parts, int count, std::uint64_t offset) {
  if (const int error = check(parts, count); error != 0) return Answer::failed(error);
  Answer done;
  if (count == 1)
    done = answer(file.pwrite(from(parts[0]), offset));
  else
    done = answer(file.pwrite(gathered(parts, count), offset));
  if (done.error == 0 && Process::current().is_ending()) publish();
  return done;
}

Answer OpenFile::append(File& file, const iovec* parts, int count, std::uint64_t& end) {
  if (const int error = check(parts, count); error != 0) return Answer::failed(error);
  const std::vector<std::byte> whole = count == 1 ? std::vector<std::byte>() : gathered(parts, count);
  const Answer done = answer(file.append(count == 1 ? from(parts[0]) : ByteSpan(whole), &end));
  if (done.error == 0) end += static_cast<std::uint64_t>(done.value);
  if (done.error == 0 && Process::current().is_ending()) publish();
  return done;
}

Answer OpenFile::read(int fd, const iovec* parts, int count) {
  if (!can_read()) return Answer::failed(EBADF);
  WEIR_FILE_OR_FAIL(file)
  Turn turn(*this, fd);
  const Answer done = transfer_in(*file, parts, count, turn.position);
  if (done.error == 0) turn.position += static_cast<std::uint64_t>(done.value);
  return done;
}

Answer OpenFile::write(int fd, const iovec* parts, int count) {
  if (!can_write()) return Answer::failed(EBADF);
  WEIR_FILE_OR_FAIL(file)
  Turn turn(*this, fd);
  if ((flags_ & O_APPEND) != 0) {
    std::uint64_t end = turn.position;
    const Answer done = append(*file, parts, count, end);
    if (done.error == 0 && done.value > 0) turn.position = end;
    return done;
  }
  const Answer done = transfer_out(*file, parts, count, turn.position);
  if (done.error == 0) turn.position += static_cast<std::uint64_t>(done.value);
  return done;
}

Answer OpenFile::write_at_end(int fd, const iovec* parts, int count, bool moved) {
  if (!can_write()) return Answer::failed(EBADF);
  WEIR_FILE_OR_FAIL(file)
  std::uint64_t end = 0;
  if (!moved) return append(*file, parts, count, end);
  Turn turn(*this, fd);
  const Answer done = append(*file, parts, count, end);
  if (done.error == 0 && done.value > 0) turn.position = end;
  return done;
}

Answer OpenFile::pread(const iovec* parts, int count, off_t offset) {
  if (!can_read()) return Answer::failed(EBADF);
  if (offset < 0) return Answer::failed(EINVAL);
  WEIR_FILE_OR_FAIL(file)
  return transfer_in(*file, parts, count, static_cast<std::uint64_t>(offset));
}

Answer OpenFile::pwrite(const iovec* parts, int count, off_t offset) {
  if (!can_write()) return Answer::failed(EBADF);
  if (offset < 0) return Answer::failed(EINVAL);
  WEIR_FILE_OR_FAIL(file)
  if ((flags_ & O_APPEND) != 0) {  // as Linux does it, against the standard
    std::uint64_t end = 0;
    return append(*file, parts, count, end);
  }
  return transfer_out(*file, parts, count, static_cast<std::uint64_t>(offset));
}

Answer OpenFile::seek(int fd, off_t offset, int whence) {
  off_t size = 0;
  if (whence != SEEK_SET && whence != SEEK_CUR) {
    WEIR_FILE_OR_FAIL(file)
    Attributes attributes;
    if (const int error = file->stat(attributes); error != 0) return Answer::failed(error);
    size = static_cast<off_t>(attributes.size);
  }
  Turn turn(*this, fd);
  off_t base = 0;
  switch (whence) {
    case SEEK_SET:
      break;
    case SEEK_CUR:
      base = static_cast<off_t>(turn.position);
      break;
    case SEEK_END:
      base = size;
      break;
    case SEEK_DATA:  // all of it is data, and the hole begins at the end
    case SEEK_HOLE:
      if (offset < 0 || offset >= size) return Answer::failed(ENXIO);
      if (whence == SEEK_HOLE) offset = size;
      break;
    default:
      return Answer::failed(EINVAL);
  }
  off_t to = 0;
  if (__builtin_add_overflow(base, offset, &to)) return Answer::failed(EOVERFLOW);
  if (to < 0) return Answer::failed(EINVAL);
  turn.position = static_cast<std::uint64_t>(to);
  return {to, 0};
}

Answer OpenFile::stat(struct stat& status) {
  WEIR_FILE_OR_FAIL(file)
  Attributes attributes;
  std::uint32_t names = 1;
  if (const int error = file->stat(attributes, &names); error != 0) return Answer::failed(error);
  fill_stat(attributes, id_, status, names);
  status.st_dev = Mount::current().device();
  return {};
}

Answer OpenFile::truncate(off_t size) {
  if (size < 0 || !can_write()) return Answer::failed(EINVAL);
  WEIR_FILE_OR_FAIL(file)
  return Answer::of(file->truncate(static_cast<std::uint64_t>(size)));
}

Answer OpenFile::allocate(int mode, off_t offset, off_t length) {
  if (!can_write()) return Answer::failed(EBADF);
  if (offset < 0 || length <= 0) return Answer::failed(EINVAL);
  off_t end = 0;
  if (__builtin_add_overflow(offset, length, &end)) return Answer::failed(EFBIG);
  WEIR_FILE_OR_FAIL(file)
  Attributes attributes;
  if (const int error = file->stat(attributes); error != 0) return Answer::failed(error);
  const auto size = static_cast<off_t>(attributes.size);
  const bool keep_size = (mode & FALLOC_FL_KEEP_SIZE) != 0;
  if ((mode & ~(FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) != 0)
    return Answer::failed(EOPNOTSUPP);
  if ((mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) != 0) {
    const std::vector<std::byte> zeros(1 << 20);
    for (off_t at = offset; at < std::min(end, size);) {
      const auto part = static_cast<std::size_t>(
          std::min<off_t>(std::min(end, size) - at, static_cast<off_t>(zeros.size())));
      const Transfer done = file->pwrite(ByteSpan(zeros).first(part), static_cast<std::uint64_t>(at));
      if (done.error != 0) return Answer::failed(done.error);
      at += static_cast<off_t>(part);
    }
  }
  return keep_size ? Answer{} : Answer::of(file->grow(static_cast<std::uint64_t>(end)));
}

Answer OpenFile::sync(consistency::Operation operation) {
  WEIR_FILE_OR_FAIL(file)
  return Answer::of(file->sync(operation));
}

Answer OpenFile::set_attributes(SetAttributes request) {
  FileSystem* const system = Process::current().system();
  if (system == nullptr) return Answer::failed(EIO);
  request.file = id_;
  // A time that is set counts from now on: what was written before must not move it again.
  publish();
  return Answer::of(system->session().ask(id_.home(), request).error);
}

int OpenFile::publish() {
  File* const file = ready_.load(std::memory_order_acquire);
  return file != nullptr && file->publishes_by_itself() ? file->attach_all() : 0;
}

int OpenFile::flush() {
  std::shared_ptr<File> file;
  if (const int error = refer(file); error != 0) return error;
  return file->flush();
}

int OpenFile::lock_file() {
  const Uncancelled work;
  const std::lock_guard lock(opening_);
  if (lock_file_ >= 0) return lock_file_;
  const Job* const job = Process::current().job();
  if (job == nullptr) {
    errno = EIO;
    return -1;
  }
  const auto folder = spill_of(*job, 0).parent_path() / "locks";
  ::mkdir(folder.c_str(), 0700);
  const std::string path = folder / fmt::format("{:016x}", id_.value);
  lock_file_ = moved_up(UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600))).release();
  return lock_file_;
}

void OpenFile::share(int fd) {
  const std::lock_guard lock(turn_);
  if (shared_.exchange(true)) return;
  ::lseek(fd, static_cast<off_t>(position_), SEEK_SET);
}

void OpenFile::flags_changed(int fd) {
  if (const int now = ::fcntl(fd, F_GETFL); now >= 0) flags_ = now;
}

}  // namespace weir::burst::preload
