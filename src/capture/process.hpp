#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/clock.hpp"
#include "capture/handles.hpp"
#include "capture/held_threads.hpp"
#include "capture/lane.hpp"
#include "capture/library_threads.hpp"
#include "capture/memory.hpp"
#include "capture/settings.hpp"
#include "capture/thread_numbers.hpp"
#include "intercept/child_environment.hpp"

namespace weir::capture {

// What all threads of the process share. One per library, built on first use, never destroyed: a program's
// exit handlers still do I/O.
class Process {
 public:
  static Process& current() { return instance_; }

  // Whether anything is recorded at all. Starts on the first call.
  bool recording();
  Handles& handles() { return handles_; }
  LibraryThreads& library_threads() { return library_threads_; }
  ThreadNumbers& threads() { return threads_; }
  HeldThreads& held_threads() { return held_threads_; }
  const Settings& settings() const { return settings_; }
  const ChildEnvironment& child_environment() const { return child_environment_; }
  std::int64_t number() const { return number_; }

  // The lane of the calling thread; null when there can be none.
  Lane* take_lane();
  void give_back(Lane* lane);
  // A new lane with its file; null when there can be none.
  Lane* make_lane(std::uint32_t lane_number, std::int64_t process, Tick process_start);
  void discard(Lane* lane);  // its memory, not its file
  // A lock that a forked child must not find taken. Some few.
  void free_in_children(SpinLock& lock);
  // After MPI_Finalize. What MPI's own libraries do when the process ends is theirs, as is what they do
  // inside its calls: UCX, say, flushes its log.
  void watch_exit();
  // Called when the memory of a lane is found wiped: this is a forked child.
  void after_fork();

  // The working directory, for names that do not begin with '/'. Changes with chdir().
  void directory_changed();
  std::uint32_t directory_generation() const { return directory_generation_.load(std::memory_order_acquire); }
  std::size_t copy_directory(char* to, std::size_t room);  // how long it is

  // Compresses under a lock that all lanes share, and hands the result on: use(bytes).
  struct Compressed {
    const void* bytes;
    std::size_t size;
    bool plain;  // it would not compress
  };
  Compressed compress(const void* bytes, std::size_t size);  // the lock must be held
  Lock& compressing() { return compressing_; }

  void count_lost() { lost_->fetch_add(1, std::memory_order_relaxed); }

  std::uint64_t memory_per_lane() const;
  Tick start_tick() const { return start_tick_; }

 private:
  static constexpr std::size_t kLanes = 4096;
  static constexpr std::size_t kSpinLocks = 16;
  static constexpr std::size_t kLaneBytes = (sizeof(Lane) + 63) / 64 * 64;
  static constexpr std::size_t kTableBytes = (sizeof(Lane::Tables) + 63) / 64 * 64;
  static constexpr std::size_t kAllBytes = kLaneBytes + kTableBytes + Handle::kIds * sizeof(Lane::View);
  enum class State : std::uint32_t { unborn, starting, recording, ending, off };

  void start();
  void map_losses();
  static void end_begins();

  std::atomic<State> state_{State::unborn};
  Settings settings_;
  ChildEnvironment child_environment_{
      {.library = "libweir-capture-", .settings = {"WEIR_TRACE_"}, .needed = kDirectoryVariable}};
  Handles handles_;
  LibraryThreads library_threads_;
  ThreadNumbers threads_;
  HeldThreads held_threads_;
  std::int64_t number_ = 0;
  Tick start_tick_;
  Lock lanes_lock_;
  Lane* free_lanes_[kLanes] = {};
  std::size_t free_count_ = 0;
  std::uint32_t lane_count_ = 0;
  SpinLock* spin_locks_[kSpinLocks] = {};
  std::atomic<std::size_t> spin_lock_count_{0};
  Lock directory_lock_;
  std::atomic<std::uint32_t> directory_generation_{0};
  char directory_[4096] = {};
  std::size_t directory_length_ = 0;
  std::atomic<std::uint64_t> unmapped_losses_{0};
  std::atomic<std::uint64_t>* lost_ = &unmapped_losses_;  // in a file that the whole run shares
  std::uint32_t tries_left_ = 1;                          // until another lane is tried for
  Lock compressing_;
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;

  static Process instance_;
};

}  // namespace weir::capture
