#include "burst/io_threads.hpp"

#include <utility>

namespace weir::burst {

IoThreads::IoThreads(unsigned count) {
  for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { serve(); });
}

void IoThreads::finish() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  bell_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void IoThreads::run(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(work));
  }
  bell_.notify_one();
}

void IoThreads::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    bell_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const auto work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace weir::burst
