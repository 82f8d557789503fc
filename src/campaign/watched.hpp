#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.hpp"
#include "campaign/store.hpp"
#include "monitor/watch.hpp"

namespace weir::campaign {

// What the storage and the machine see while something is measured, and whether others disturbed it.
class Watched {
 public:
  struct Options {
    bool monitors = true;
    monitor::Limits limits;
    std::filesystem::path root = "/";  // of /proc and /sys
  };

  // Flushes the file system of `directory` and starts the monitors; what cannot be watched is a note of the
  // row.
  static Watched begin(const std::filesystem::path& directory, const Options& options, RunRow& row);
  // Fills the row's monitors. Everything this process and its children moved since begin() is the run's own.
  void end(RunRow& row);
  // Marks the row as disturbed where others were at work. `workers` of the run's own are at work on this
  // machine: the kernel counts them too when they wait for a processor, and as many as cores always do.
  void judge(RunRow& row, std::uint32_t workers) const;

 private:
  explicit Watched(const Options& options) : options_(options) {}

  Options options_;
  std::optional<monitor::Watch> watch_;
  std::optional<monitor::Seen> seen_;
  Result<monitor::Traffic> before_{monitor::Traffic{}}, after_{monitor::Traffic{}};
};

}  // namespace weir::campaign
