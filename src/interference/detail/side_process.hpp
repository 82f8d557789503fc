#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <sys/types.h>

#include "base/result.hpp"
#include "base/scratch_dir.hpp"
#include "base/unique_fd.hpp"
#include "interference/course.hpp"
#include "interference/load.hpp"
#include "workload/run.hpp"

namespace weir::interference::detail {

// What a side did, on its own account.
struct SideEnd {
  Course course;                // since its start
  std::optional<Course> files;  // closed by a command, if they were counted
  double whole_s = 0;           // from start to end
  std::int64_t started_ns = 0;
  std::vector<double> worker_s;  // ends of a pattern's processes, in its last lap
  std::optional<Bytes> cached;
  bool stopped = false;  // by us: it was endless
  std::vector<std::string> notes;
};

// One side in a process of its own, ended with this one. A pattern's workers are its children; a command is
// started in a new directory on the measured storage, WEIR_CWD telling where the user is.
class SideProcess {
 public:
  static Result<SideProcess> start(const Side& side, const std::filesystem::path& directory);
  SideProcess(SideProcess&& other) noexcept;
  SideProcess& operator=(SideProcess&&) = delete;
  SideProcess(const SideProcess&) = delete;
  SideProcess& operator=(const SideProcess&) = delete;
  ~SideProcess();

  const Side& side() const { return side_; }
  // Files are made, workers wait; or it failed before.
  Result<void> wait_until_ready();
  void go();
  // Looks whether it has ended and how far it is; to be called every few milliseconds.
  void look();
  bool ended() const { return status_.has_value(); }
  void stop();  // asks it to end; look() tells when it has
  // After it has ended.
  Result<SideEnd> result() const;

 private:
  SideProcess(Side side, const std::filesystem::path& directory)
      : side_(std::move(side)), directory_(directory) {}

  [[noreturn]] void be_pattern(int go, int tell) const;
  [[noreturn]] void be_command(int go) const;
  void count_files() const;
  std::optional<Course> files_closed() const;
  void read_told();
  void sample();
  double said_bytes() const;
  Result<SideEnd> pattern_result() const;
  Result<SideEnd> command_result() const;

  Side side_;
  std::filesystem::path directory_;      // for a command: its own
  std::unique_ptr<ScratchDir> scratch_;  // what a command printed
  pid_t pid_ = -1;
  UniqueFd go_, told_fd_;
  std::string told_;  // by the other process: 'r' when ready, then its outcome
  std::optional<int> status_;
  bool stopped_ = false;
  std::int64_t started_wall_ns_ = 0, started_ns_ = 0, ended_ns_ = 0;
  std::vector<Course::Point> sampled_;  // of a command
};

}  // namespace weir::interference::detail
