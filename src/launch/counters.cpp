#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/folders.hpp"
#include "launch/machine.hpp"
#include "launch/process.hpp"

namespace weir::launch {
namespace {

namespace fs = std::filesystem;

Fact counter(std::string_view name, State state, std::string detail, const fs::path& path = {},
             std::string remedy = {}) {
  return {.topic = "counters",
          .name = std::string(name),
          .state = state,
          .detail = std::move(detail),
          .path = path.string(),
          .remedy = std::move(remedy)};
}

// Whole devices of /proc/diskstats that ever did I/O; partitions (sda1, nvme0n1p2) and loop devices are not
// listed.
Fact examine_disks(const fs::path& root) {
  const fs::path path = root / "proc/diskstats";
  const auto text = read_text(path, 1 << 22);
  if (!text) return counter("disks", State::missing, "", path, "mount /proc");
  std::vector<std::string> disks;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::uint64_t major = 0, minor = 0, reads = 0;
    std::string name;
    words >> major >> minor >> name >> reads;
    std::error_code ignored;
    if (reads > 0 && fs::is_directory(root / "sys/block" / name, ignored)) disks.push_back(name);
  }
  return counter("disks", disks.empty() ? State::absent : State::ok,
                 fmt::format("{}", fmt::join(disks, ", ")), path);
}

Fact examine_nfs(const fs::path& root) {
  const fs::path path = root / "proc/self/mountstats";
  const auto text = read_text(path, 1 << 24);
  int mounts = 0;
  if (text) {
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);)
      if (line.find(" with fstype nfs") != std::string::npos) ++mounts;
  }
  if (mounts == 0) return counter("NFS", State::absent, "no NFS mounts");
  return counter("NFS", State::ok, fmt::format("{} mount{}", mounts, mounts == 1 ? "" : "s"), path);
}

Fact examine_lustre(const fs::path& root) {
  for (const char* place : {"sys/kernel/debug/lustre", "proc/fs/lustre", "sys/fs/lustre"}) {
    const fs::path path = root / place;
    std::error_code failed;
    if (!fs::exists(path, failed)) continue;
    if (::access(path.c_str(), R_OK | X_OK) == 0) return counter("Lustre", State::ok, "", path);
    return counter("Lustre", State::limited, "not readable", path, "ask for read access, or run as root");
  }
  return counter("Lustre", State::absent, "no Lustre client");
}

Fact examine_gpfs(const fs::path& root) {
  const fs::path tool = root / "usr/lpp/mmfs/bin/mmpmon";
  std::error_code failed;
  if (!fs::exists(tool, failed)) return counter("GPFS", State::absent, "no mmpmon");
  if (::geteuid() == 0) return counter("GPFS", State::ok, "mmpmon", tool);
  return counter("GPFS", State::limited, "mmpmon", tool, "mmpmon needs root");
}

Fact examine_infiniband(const fs::path& root) {
  const auto devices = names_in(root / "sys/class/infiniband");
  if (devices.empty()) return counter("InfiniBand", State::absent, "no adapters");
  return counter("InfiniBand", State::ok, fmt::format("{}", fmt::join(devices, ", ")),
                 root / "sys/class/infiniband");
}

Fact examine_cgroup(const fs::path& root) {
  const fs::path unified = root / "sys/fs/cgroup";
  std::error_code failed;
  if (fs::exists(unified / "cgroup.controllers", failed)) {
    const auto controllers = read_text(unified / "cgroup.controllers", 1 << 16).value_or("");
    if (controllers.find("io") != std::string::npos)
      return counter("cgroup", State::ok, "version 2, io.stat", unified);
    return counter("cgroup", State::limited, "version 2 without the io controller", unified,
                   "enable the io controller in cgroup.subtree_control");
  }
  if (fs::exists(unified / "blkio", failed))
    return counter("cgroup", State::ok, "version 1, blkio", unified / "blkio");
  return counter("cgroup", State::missing, "", {}, "mount the cgroup2 file system on /sys/fs/cgroup");
}

Fact examine_pressure(const fs::path& root) {
  const fs::path path = root / "proc/pressure/io";
  if (read_text(path, 1 << 16)) return counter("pressure", State::ok, "stalls on I/O", path);
  return counter("pressure", State::missing, "", {}, "boot with psi=1");
}

Fact examine_gluster() {
  const auto tool = find_program("gluster");
  if (!tool) return counter("Gluster", State::absent, "no gluster command");
  return counter("Gluster", State::ok, "volume profile", *tool);
}

}  // namespace

std::vector<Fact> examine_counters(const fs::path& root) {
  return {examine_disks(root),  examine_pressure(root), examine_cgroup(root),     examine_nfs(root),
          examine_lustre(root), examine_gpfs(root),     examine_infiniband(root), examine_gluster()};
}

}  // namespace weir::launch
