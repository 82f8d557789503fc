#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <vector>

#include <pthread.h>

#include "base/uncancelled.hpp"
#include "burst/preload/open_file.hpp"

namespace weir::burst::preload {

// Which descriptors of this process are placeholders, and of what.
class Table {
 public:
  static constexpr int kMost = 65536;

  static Table& current();

  [[gnu::always_inline]] static bool has(int fd) {
    return static_cast<unsigned>(fd) < kMost && slots_[fd].load(std::memory_order_relaxed) != nullptr;
  }

  // An open file with its first descriptor.
  void put(int fd, FileId id, int flags, std::shared_ptr<File> file, bool shared);
  // `to` is a duplicate of `from` from now on; what was there before is let go.
  void duplicate(int from, int to);
  // The descriptor is about to be closed, or stands for something else already. An errno of closing the file.
  int drop(int fd);
  // For every open file once, with one of its descriptors.
  template <class F>
  void for_each(F&& f);
  std::vector<int> numbers() const;

  void begin_again();  // in a forked child
  std::mutex& mutex() { return mutex_; }

 private:
  friend class Use;

  static constinit std::atomic<OpenFile*> slots_[kMost];
  std::atomic<int> highest_{0};  // one more than any descriptor that was ever ours
  std::mutex mutex_;             // guards what follows, and changes of slots
  std::deque<OpenFile> all_;
  std::vector<OpenFile*> free_;
};

// One call on an open file; it stays while this lives, and the thread is not cancelled.
class Use {
 public:
  enum class Cancelled {
    never,   // the call is no point of cancellation
    before,  // it is one, as long as nothing is done
    inside,  // it sees to that itself: it waits for others
  };

  explicit Use(int fd, Cancelled cancelled = Cancelled::never)
      : uncancelled_(Table::has(fd) && comes_through(cancelled)) {
    if (static_cast<unsigned>(fd) >= Table::kMost) return;
    auto& slot = Table::slots_[fd];
    for (;;) {
      OpenFile* const file = slot.load(std::memory_order_acquire);
      if (file == nullptr) return;
      file->users_.fetch_add(1);
      if (slot.load() == file) {
        file_ = file;
        return;
      }
      file->users_.fetch_sub(1);
    }
  }
  ~Use() {
    if (file_ != nullptr) file_->users_.fetch_sub(1);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  // For calls that are points of cancellation.
  static Use cancelled_before(int fd) { return Use(fd, Cancelled::before); }

  explicit operator bool() const { return file_ != nullptr; }
  OpenFile* operator->() const { return file_; }
  OpenFile& operator*() const { return *file_; }

 private:
  static bool comes_through(Cancelled cancelled) {
    if (cancelled == Cancelled::before) ::pthread_testcancel();
    return cancelled != Cancelled::inside;
  }

  const Uncancelled uncancelled_;
  OpenFile* file_ = nullptr;
};

template <class F>
void Table::for_each(F&& f) {
  std::vector<const OpenFile*> seen;
  for (int fd = 0; fd < highest_.load(); ++fd) {
    const Use file(fd);  // other threads close
    if (!file || std::find(seen.begin(), seen.end(), &*file) != seen.end()) continue;
    seen.push_back(&*file);
    f(*file, fd);
  }
}

}  // namespace weir::burst::preload
