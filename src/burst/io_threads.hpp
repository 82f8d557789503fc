#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace weir::burst {

// A few threads for what may block: a worker that waited for a disk would keep everybody waiting.
class IoThreads {
 public:
  explicit IoThreads(unsigned count);
  ~IoThreads() { finish(); }
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;

  void run(std::function<void()> work);
  // Work of one name is done in order, never two at a time.
  void run_in_turn(const std::string& name, std::function<void()> work);
  // What was handed over is done, then the threads end.
  void finish();

 private:
  void serve();
  void take_turn(const std::string& name);

  std::mutex mutex_;  // guards what follows
  std::condition_variable bell_;
  std::deque<std::function<void()>> waiting_;
  std::unordered_map<std::string, std::deque<std::function<void()>>> turns_;  // the first is under way
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace weir::burst
