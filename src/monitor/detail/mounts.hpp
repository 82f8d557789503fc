#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weir::monitor::detail {

// A line of /proc/self/mountinfo.
struct Mount {
  std::string device;            // "8:1"; "0:23" where there is no block device
  std::string root;              // what of the file system is mounted
  std::filesystem::path point;   // where
  std::string point_as_written;  // with blanks as \040, as /proc/self/mountstats has it too
  std::string type;              // "ext4"
  std::string source;            // "/dev/sda1", "server:/export"
  std::string options;           // of the file system, not of the mount
};

// Lines that make no sense are left out.
std::vector<Mount> parse_mountinfo(std::string_view text);

// The mount that `directory`, an absolute path without links, is on; null when there is none.
const Mount* mount_of(const std::vector<Mount>& mounts, const std::filesystem::path& directory);

// The value of "key=value" in a comma-separated list, or an empty view.
std::string_view option(std::string_view options, std::string_view key);
bool has_option(std::string_view options, std::string_view word);

}  // namespace weir::monitor::detail
