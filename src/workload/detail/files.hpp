#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "workload/detail/task.hpp"
#include "workload/job.hpp"

namespace weir::workload::detail {

// The directory of one run, inside the one the user named. All files of the run are in it, and go with it
// unless kept.
class RunDirectory {
 public:
  static Result<RunDirectory> make(const std::filesystem::path& parent, bool keep);
  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&&) = delete;
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  ~RunDirectory();

  const std::filesystem::path& path() const { return path_; }
  // Removes all now, and says what it could not.
  Result<void> remove();

 private:
  // To remove a directory takes descriptors, and a run may have used up all: these are given back for it.
  using Spare = std::array<UniqueFd, 2>;
  RunDirectory(std::filesystem::path path, bool keep, Spare spare)
      : path_(std::move(path)), keep_(keep), spare_(std::move(spare)) {}

  std::filesystem::path path_;
  bool keep_;
  Spare spare_;
};

// Worker `worker`'s part of the job with its file in `directory`.
Task task_of(const Job& job, std::uint32_t worker, const std::filesystem::path& directory);

// Makes and fills the files the mode works on, and writes them through to the storage.
Result<void> prepare(const Task& task);

// Takes the task's files out of memory as far as the system allows. Returns what a reader must know.
std::vector<std::string> drop_cached(const std::vector<Task>& tasks);

// Bytes of the task's files that are dirty or being written, as the kernel's cachestat(2) counts them.
std::optional<Bytes> bytes_in_cache(const std::vector<Task>& tasks);

// Whether the storage holds what the task wrote.
Result<void> read_back(const Task& task);

}  // namespace weir::workload::detail
