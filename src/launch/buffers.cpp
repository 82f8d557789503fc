#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/mounts.hpp"
#include "launch/machine.hpp"

namespace weir::launch {
namespace {

namespace fs = std::filesystem;

// File systems whose bytes live on this node. Network ones are never touched: a dead server would hang us.
bool is_local(const std::string& type) {
  constexpr std::array kLocal = {"ext4", "ext3", "ext2", "xfs", "btrfs", "zfs", "f2fs", "tmpfs", "bcachefs"};
  return std::ranges::find(kLocal, type) != kLocal.end();
}

// "nvme", "ssd", "disk", "virtual disk" or "memory" from what /sys knows of the device behind a mount.
std::string medium(const fs::path& root, const Mount& mount) {
  if (mount.type == "tmpfs") return "memory";
  const std::string name = fs::path(mount.source).filename().string();
  if (name.starts_with("nvme")) return "nvme";
  if (name.starts_with("pmem")) return "persistent memory";
  if (name.starts_with("vd") || name.starts_with("xvd")) return "virtual disk";
  const fs::path device = root / "sys/dev/block" / mount.device;
  for (const char* queue : {"queue/rotational", "../queue/rotational"}) {
    const auto text = read_text(device / queue, 16);
    if (text) return text->starts_with('0') ? "ssd" : "disk";
  }
  return "unknown device";
}

}  // namespace

std::vector<Fact> examine_buffers(const fs::path& root) {
  std::vector<Fact> facts;
  std::set<std::string> seen;
  for (const Mount& mount : read_mounts(root)) {
    // Places people put buffers; system directories, bind mounts of single files and containers' own are not.
    const std::string& where = mount.point.native();
    const bool candidate = is_local(mount.type) && !where.starts_with("/run") && !where.starts_with("/sys") &&
                           !where.starts_with("/boot") && where != "/dev" && !where.starts_with("/snap");
    const fs::path point = root / mount.point.relative_path();
    struct statvfs space {};
    if (!candidate || ::statvfs(point.c_str(), &space) != 0 || (space.f_flag & ST_RDONLY) != 0) continue;
    if (!seen.insert(where).second) continue;
    const Bytes total(static_cast<std::uint64_t>(space.f_blocks) * space.f_frsize);
    const Bytes free(static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize);
    if (total.count < (std::uint64_t{64} << 20)) continue;
    // The root file system is offered through /tmp, where everyone may write.
    const std::string shown = where == "/" ? "/tmp" : where;
    const bool writable = ::access((root / fs::path(shown).relative_path()).c_str(), W_OK) == 0;
    facts.push_back({.topic = "buffer",
                     .name = shown,
                     .state = writable ? State::ok : State::limited,
                     .detail = fmt::format("{}, {}, {} free of {}", medium(root, mount), mount.type,
                                           format_bytes(free), format_bytes(total)),
                     .path = {},
                     .remedy = writable ? "" : "ask for a directory of your own there"});
  }
  if (facts.empty())
    facts.push_back({.topic = "buffer",
                     .name = "local directory",
                     .state = State::missing,
                     .detail = {},
                     .path = {},
                     .remedy = "mount a local file system, or use /dev/shm"});
  return facts;
}

}  // namespace weir::launch
