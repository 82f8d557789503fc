#include "monitor/detail/command_loop.hpp"

#include <chrono>

namespace weir::monitor::detail {
namespace {
constexpr Nanoseconds kPatience{2'000'000'000};
constexpr std::chrono::seconds kInterval{1};
}  // namespace

CommandLoop::CommandLoop(std::vector<Command> commands)
    : commands_(std::move(commands)), outputs_(commands_.size()) {}

void CommandLoop::run_once() {
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    auto text = run_command(commands_[i], kPatience);
    const std::lock_guard hold(lock_);
    outputs_[i].failure = text ? "" : text.error().text();
    if (!text) continue;
    outputs_[i].text = std::move(*text);
    outputs_[i].fresh = true;
  }
}

void CommandLoop::start() {
  if (!commands_.empty()) thread_ = std::thread([this] { loop(); });
}

void CommandLoop::loop() {
  std::unique_lock hold(lock_);
  for (auto next = std::chrono::steady_clock::now() + kInterval;
       !wake_.wait_until(hold, next, [this] { return stopping_; });) {
    next = std::chrono::steady_clock::now() + kInterval;
    hold.unlock();
    run_once();
    hold.lock();
  }
}

void CommandLoop::stop() {
  {
    const std::lock_guard hold(lock_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool CommandLoop::take(std::size_t index, std::string& text) {
  const std::unique_lock hold(lock_, std::try_to_lock);
  if (!hold.owns_lock() || !outputs_[index].fresh) return false;
  outputs_[index].fresh = false;
  text.swap(outputs_[index].text);
  return true;
}

}  // namespace weir::monitor::detail
