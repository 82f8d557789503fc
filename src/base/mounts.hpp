#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weir {

// One line of /proc/self/mountinfo.
struct Mount {
  std::string device_number;  // "259:1"; "0:…" where no block device is behind it
  std::string point;
  std::string options;  // of this mount: "rw,noatime"
  std::string type;     // "ext4", "nfs4", "lustre"
  std::string source;   // "/dev/sda1", "server:/export"
  std::string super_options;
};

// All mounts, in the kernel's order; lines that cannot be read are left out. `root` is "/" but for tests.
std::vector<Mount> read_mounts(const std::filesystem::path& root = "/");

// The one a path lies on: the longest mount point above it, the latest of equals. The path is taken as it is:
// make it absolute and free of links first.
std::optional<Mount> mount_of(const std::vector<Mount>& mounts, const std::filesystem::path& path);

}  // namespace weir
