#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/mounts.hpp"

namespace weir::monitor::detail {

// From mounts to disks, through /sys.
class Devices {
 public:
  Devices(std::filesystem::path root, std::vector<Mount> mounts)
      : root_(std::move(root)), mounts_(std::move(mounts)) {}

  const std::vector<Mount>& mounts() const { return mounts_; }
  // The mount a directory is on; links are followed where `root` is the real one, and of a path that is not
  // there yet the part that is.
  const Mount* mount_of(const std::filesystem::path& directory) const;
  // The block device of a mount, of a partition the whole disk ("sda"): what other partitions move goes
  // through the same device. An overlay has that of its upper directory. Nothing for tmpfs, NFS and their
  // like.
  std::optional<std::string> disk_of(const Mount& mount) const;
  // The disks that `disk` is made of: slaves of device-mapper and md, the disk under a loop device's file;
  // and theirs.
  std::vector<std::string> beneath(const std::string& disk) const;
  bool is_whole_disk(const std::string& disk) const;
  std::filesystem::path folder_of(std::string disk) const;  // /sys/block/NAME

 private:
  std::optional<std::string> disk_of(const Mount& mount, int depth) const;
  std::optional<std::string> whole_disk(const std::filesystem::path& link) const;
  void add_beneath(const std::string& disk, std::vector<std::string>& found) const;

  std::filesystem::path root_;
  std::vector<Mount> mounts_;
};

}  // namespace weir::monitor::detail
