#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// A line of /proc/self/mountinfo.
struct Mount {
  std::string device;            // "8:1"; "0:23" where there is no block device
  std::string root;              // what of the file system is mounted
  std::filesystem::path point;   // where
  std::string point_as_written;  // with blanks as \040, as /proc/self/mountstats has it too
  std::string type;              // "ext4", "nfs4", "lustre"
  std::string source;            // "/dev/sda1", "server:/export"
  std::string options;           // of the file system
  std::string mount_options;     // of this mount: "rw,noatime"
};

// In the kernel's order; lines that make no sense are left out.
std::vector<Mount> parse_mountinfo(std::string_view text);
// All mounts of this process. `root` is "/" but for tests.
std::vector<Mount> read_mounts(const std::filesystem::path& root = "/");

// The mount that `path`, absolute and without links, is on; null when there is none.
const Mount* mount_of(const std::vector<Mount>& mounts, const std::filesystem::path& path);

}  // namespace weir
