#include "burst/preload/locks.hpp"

#include <cerrno>

#include <sys/file.h>

#include "base/uncancelled.hpp"
#include "burst/preload/process.hpp"

namespace weir::burst::preload {
namespace {

Answer answer(int result) { return result == 0 ? Answer{} : Answer::failed(errno); }

// Record locks are meant in absolute bytes: the placeholder has neither the size nor, mostly, the position.
int make_absolute(OpenFile& file, int fd, struct flock& lock) {
  off_t base = 0;
  if (lock.l_whence == SEEK_CUR) {
    const Answer here = file.seek(fd, 0, SEEK_CUR);
    if (here.error != 0) return here.error;
    base = here.value;
  } else if (lock.l_whence == SEEK_END) {
    struct stat status {};
    if (const Answer looked = file.stat(status); looked.error != 0) return looked.error;
    base = status.st_size;
  } else if (lock.l_whence != SEEK_SET) {
    return EINVAL;
  }
  if (__builtin_add_overflow(base, lock.l_start, &lock.l_start)) return EOVERFLOW;
  lock.l_whence = SEEK_SET;
  const off_t before = lock.l_len < 0 ? lock.l_len : 0;  // bytes before the start
  if (__builtin_add_overflow(lock.l_start, before, &lock.l_start) || lock.l_start < 0 ||
      lock.l_start >= OpenFile::kTurnByte)
    return EINVAL;
  if (before < 0) lock.l_len = -before;
  // To the end of all files means: as far as the byte that is ours.
  const off_t most = OpenFile::kTurnByte - lock.l_start;
  if (lock.l_len == 0 || lock.l_len > most) lock.l_len = most;
  return 0;
}

bool has_other_nodes() {
  const Job* const job = Process::current().job();
  return job != nullptr && job->servers.size() > 1;
}

// Given back unless it is kept, also when the thread is cancelled.
class Taken {
 public:
  Taken(int fd, int command, const struct flock& lock) : fd_(fd), lock_(lock) {
    command_ = command == F_SETLKW ? F_SETLK : command == F_OFD_SETLKW ? F_OFD_SETLK : command;
    lock_.l_type = F_UNLCK;
  }
  ~Taken() {
    if (!is_kept_) ::fcntl(fd_, command_, &lock_);
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  void keep() { is_kept_ = true; }

 private:
  int fd_;
  int command_;
  struct flock lock_;
  bool is_kept_ = false;
};

// A point of cancellation where it waits for a lock, and only there.
Answer lock_or_ask(OpenFile& file, int fd, int command, struct flock& lock) {
  const auto prepared = [&] {
    const Uncancelled work;
    return make_absolute(file, fd, lock);
  };
  if (const int error = prepared(); error != 0) return Answer::failed(error);
  const bool asks = command == F_GETLK || command == F_OFD_GETLK;
  const struct flock wanted = lock;
  const Answer here = answer(::fcntl(fd, command, &lock));
  if (here.error != 0 || !has_other_nodes() || (asks && lock.l_type != F_UNLCK)) return here;
  Taken taken(fd, command, wanted);
  if (asks || wanted.l_type == F_UNLCK) taken.keep();
  const int elsewhere = file.lock_file();
  if (elsewhere < 0) return Answer::failed(errno);
  if (asks) lock = wanted;
  struct flock again = wanted;
  const Answer there = answer(::fcntl(elsewhere, command, asks ? &lock : &again));
  if (there.error == 0) taken.keep();
  return there;
}

}  // namespace

Answer record_lock(OpenFile& file, int fd, int command, struct flock& lock) {
  const struct flock given = lock;
  const Answer done = lock_or_ask(file, fd, command, lock);
  if (done.error != 0) return done;
  if (lock.l_type == F_UNLCK) {  // of a question the rest stays what it was
    lock = given;
    lock.l_type = F_UNLCK;
  } else if (lock.l_start + lock.l_len == OpenFile::kTurnByte) {
    lock.l_len = 0;
  }
  return done;
}

Answer whole_lock(OpenFile& file, int fd, int operation) {
  const Answer here = answer(::flock(fd, operation));
  if (here.error != 0 || !has_other_nodes()) return here;
  const int elsewhere = file.lock_file();
  if (elsewhere < 0) return Answer::failed(errno);
  const Answer there = answer(::flock(elsewhere, operation));
  if (there.error != 0) ::flock(fd, LOCK_UN);
  return there;
}

}  // namespace weir::burst::preload
