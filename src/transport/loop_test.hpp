#pragma once

#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "transport/loop.hpp"

// For tests only.
namespace weir::transport {

// A loop in a thread of its own, which ends with it.
class LoopThread {
 public:
  explicit LoopThread(std::chrono::nanoseconds spin = Loop::kSpin) : loop_(spin) {}
  ~LoopThread() { stop(); }
  void start() {
    thread_ = std::thread([this] { loop_.run(); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    loop_.stop();
    thread_.join();
  }
  Loop& loop() { return loop_; }

  // In the loop's thread, waiting for the end.
  template <class F>
  auto run(F work) {
    std::packaged_task<std::invoke_result_t<F>()> task(std::move(work));
    auto result = task.get_future();
    loop_.post([&task] { task(); });
    return result.get();
  }

 private:
  Loop loop_;
  std::thread thread_;
};

}  // namespace weir::transport
