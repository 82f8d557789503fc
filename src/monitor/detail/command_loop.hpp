#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "monitor/detail/command.hpp"

namespace weir::monitor::detail {

// Runs commands over and over, one round a second at most, in a thread of its own: a slice never waits for a
// program.
class CommandLoop {
 public:
  explicit CommandLoop(std::vector<Command> commands);
  ~CommandLoop() { stop(); }
  CommandLoop(const CommandLoop&) = delete;
  CommandLoop& operator=(const CommandLoop&) = delete;

  // Every command once, in the calling thread; then what take() gives is there.
  void run_once();
  void start();
  void stop();

  std::size_t size() const { return outputs_.size(); }
  // Swaps the newest output of a command into `text`. False when there is none since the last time; never
  // waits.
  bool take(std::size_t index, std::string& text);
  // What went wrong with a command at last; empty when nothing did. After stop().
  const std::string& failure(std::size_t index) const { return outputs_[index].failure; }

 private:
  struct Output {
    std::string text;
    std::string failure;
    bool fresh = false;
  };
  void loop();

  std::vector<Command> commands_;
  std::mutex lock_;
  std::condition_variable wake_;
  std::vector<Output> outputs_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace weir::monitor::detail
