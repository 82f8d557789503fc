#include "monitor/detail/devices.hpp"

#include <algorithm>
#include <system_error>

#include "base/file.hpp"
#include "monitor/detail/mount_options.hpp"
#include "monitor/detail/text.hpp"

namespace weir::monitor::detail {
namespace fs = std::filesystem;

namespace {
constexpr int kDeepest = 8;           // overlays on overlays
constexpr std::size_t kMost = 1'000;  // disks under one
}  // namespace

const Mount* Devices::mount_of(const fs::path& directory) const {
  fs::path path = directory.lexically_normal();
  if (root_ == "/") {
    std::error_code failed;
    const fs::path real = fs::weakly_canonical(fs::absolute(directory, failed), failed);
    if (!failed) path = real;
  }
  return weir::mount_of(mounts_, path);
}

fs::path Devices::folder_of(std::string disk) const {
  std::ranges::replace(disk, '/', '!');  // cciss/c0d0, as sysfs has to write it
  return root_ / "sys/block" / disk;
}

bool Devices::is_whole_disk(const std::string& disk) const {
  std::error_code ignored;
  return !fs::exists(root_ / "sys/block", ignored) || fs::exists(folder_of(disk), ignored);
}

std::optional<std::string> Devices::whole_disk(const fs::path& link) const {
  std::error_code failed;
  fs::path folder = fs::canonical(link, failed);
  if (failed) return std::nullopt;
  if (fs::exists(folder / "partition", failed)) folder = folder.parent_path();
  std::string name = folder.filename().string();
  std::ranges::replace(name, '!', '/');
  return name;
}

std::optional<std::string> Devices::disk_of(const Mount& mount) const { return disk_of(mount, 0); }

std::optional<std::string> Devices::disk_of(const Mount& mount, int depth) const {
  if (auto disk = whole_disk(root_ / "sys/dev/block" / mount.device)) return disk;
  if (mount.source.starts_with("/dev/")) {  // btrfs has a device number of its own
    std::error_code failed;
    const fs::path node = fs::canonical(root_ / mount.source.substr(1), failed);
    if (!failed) return whole_disk(root_ / "sys/class/block" / node.filename());
  }
  if (mount.type == "overlay" && depth < kDeepest) {
    const fs::path upper(option(mount.options, "upperdir"));
    const Mount* below = upper.empty() ? nullptr : weir::mount_of(mounts_, upper);
    if (below != nullptr && below != &mount) return disk_of(*below, depth + 1);
  }
  return std::nullopt;
}

void Devices::add_beneath(const std::string& disk, std::vector<std::string>& found) const {
  const auto add = [&](const std::string& lower) {
    if (lower == disk || found.size() >= kMost || std::ranges::find(found, lower) != found.end()) return;
    found.push_back(lower);
    add_beneath(lower, found);
  };
  const fs::path folder = folder_of(disk);
  std::error_code failed;
  for (auto slave = fs::directory_iterator(folder / "slaves", failed);
       !failed && slave != fs::directory_iterator(); slave.increment(failed))
    if (const auto lower = whole_disk(slave->path())) add(*lower);
  if (const auto file = read_text(folder / "loop/backing_file", 1 << 16)) {
    const fs::path path(trimmed(*file));
    const Mount* mount = path.is_absolute() ? weir::mount_of(mounts_, path) : nullptr;
    const auto lower = mount == nullptr ? std::nullopt : disk_of(*mount);
    if (lower) add(*lower);
  }
}

std::vector<std::string> Devices::beneath(const std::string& disk) const {
  std::vector<std::string> found;
  add_beneath(disk, found);
  return found;
}

}  // namespace weir::monitor::detail
