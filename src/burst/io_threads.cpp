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

void IoThreads::run_in_turn(const std::string& name, std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    auto& turns = turns_[name];
    turns.push_back(std::move(work));
    if (turns.size() > 1) return;
  }
  run([this, name] { take_turn(name); });
}

void IoThreads::take_turn(const std::string& name) {
  for (;;) {
    std::unique_lock lock(mutex_);
    const auto work = std::move(turns_[name].front());
    lock.unlock();
    work();
    lock.lock();
    const auto turns = turns_.find(name);
    turns->second.pop_front();
    if (!turns->second.empty()) continue;
    turns_.erase(turns);
    return;
  }
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
