#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "launch/guardian.hpp"

namespace weir::campaign {

// A factor of the machine that Weir can set itself.
enum class Setting {
  cpu_frequency,  // of all processors, in Hz: "2.4G", or kHz as the kernel writes it
  governor,       // cpufreq's: "performance"
  turbo,          // "on" or "off"
  io_scheduler,   // of the block device: "none", "mq-deadline", ...
  queue_depth,    // requests the block device's queue holds
  trim,           // "true": unused blocks are given back to the device before every run
};
std::optional<Setting> setting_named(std::string_view name);
std::vector<std::string> setting_names();

// Changes settings of the machine and puts them back. What a file held is written to a journal before it is
// changed; a process of its own waits for the end of this one, however it ends, and puts everything back from
// the journal. After a power failure the next campaign or `weir bench restore` does.
class Settings {
 public:
  // `root` is "/" but for tests; `directory` is where the runs write: its device is the one that is set.
  Settings(std::filesystem::path root, std::filesystem::path directory, std::filesystem::path journal);
  ~Settings();
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  // Errc::lacking with the file that could not be written or is not there.
  Result<void> set(Setting setting, std::string_view level);
  // Whether set() could work for these, before anything is measured.
  Result<void> check(Setting setting, std::string_view level) const;
  // What has to happen right before a run: TRIM, if it was set.
  Result<void> before_run() const;
  Result<void> restore();

 private:
  struct Change {
    std::filesystem::path file;
    std::string value;
  };
  Result<std::vector<Change>> changes(Setting setting, std::string_view level) const;
  Result<std::filesystem::path> queue_file(std::string_view name) const;
  Result<void> keep_old_value(const std::filesystem::path& file);
  Result<void> start_guardian();

  std::filesystem::path root_, directory_, journal_;
  std::vector<Change> old_;  // in the order of the first change
  bool trim_ = false;
  std::optional<launch::Guardian> guardian_;
};

// Puts back what the journal tells and removes it; nothing to do is fine. How many files were written.
Result<std::size_t> restore_settings(const std::filesystem::path& journal);

// "runs.db" -> "runs.db.settings".
std::filesystem::path settings_journal(const std::filesystem::path& store);

}  // namespace weir::campaign
