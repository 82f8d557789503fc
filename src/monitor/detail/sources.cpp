#include "monitor/detail/sources.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/folders.hpp"
#include "monitor/detail/devices.hpp"
#include "monitor/detail/lustre_places.hpp"
#include "monitor/detail/mount_options.hpp"
#include "monitor/detail/text.hpp"

namespace weir::monitor::detail {
namespace fs = std::filesystem;

namespace {

void add_once(std::vector<std::string>& list, std::string item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(std::move(item));
}

bool is_nfs(const Mount& mount) { return mount.type == "nfs" || mount.type == "nfs4"; }

class Finder {
 public:
  explicit Finder(const WatchOptions& options)
      : options_(options), root_(options.root), devices_(root_, read_mounts(root_)) {}

  Sources find() {
    place_directories();
    add_disks();
    add_nfs();
    add_lustre_mounts();
    add_commands();
    add_infiniband();
    add_cgroup();
    for (const char* resource : {"cpu", "io", "memory"})
      add_file(Format::pressure, resource, root_ / "proc/pressure" / resource);
    if (!readable(root_ / "proc/pressure/cpu")) absent("psi: no {}", (root_ / "proc/pressure/cpu").string());
    add_file(Format::processor, "", root_ / "proc/stat");
    if (!readable(root_ / "proc/stat")) absent("cpu: no {}", (root_ / "proc/stat").string());
    return std::move(sources_);
  }

 private:
  template <class... Args>
  void absent(fmt::format_string<Args...> text, Args&&... args) {
    sources_.absent.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  bool add_file(Format format, std::string instance, const fs::path& path,
                std::function<bool(std::string_view)> wanted = {}) {
    if (!readable(path)) return false;
    sources_.files.push_back(
        {.format = format, .instance = std::move(instance), .paths = {path}, .wanted = std::move(wanted)});
    return true;
  }

  void place_directories() {
    Storage& storage = sources_.storage;
    for (const fs::path& directory : options_.directories) {
      const Mount* mount = devices_.mount_of(directory);
      if (mount == nullptr) {
        storage.elsewhere.push_back(fmt::format("{}: on no known mount", directory.string()));
        continue;
      }
      mounts_.push_back(mount);
      const auto disk = devices_.disk_of(*mount);
      if (!disk) {
        storage.elsewhere.push_back(fmt::format("{}: {}, no block device", directory.string(), mount->type));
        continue;
      }
      add_once(storage.devices, "disk:" + *disk);
      add_once(disks_, *disk);
      for (const std::string& lower : devices_.beneath(*disk)) {
        add_once(storage.beneath, "disk:" + lower);
        add_once(disks_, lower);
      }
    }
    // A disk that is one directory's own and lies under another's is judged as the latter.
    std::erase_if(storage.devices, [&](const std::string& device) {
      return std::ranges::find(storage.beneath, device) != storage.beneath.end();
    });
  }

  void add_disks() {
    const fs::path all = root_ / "proc/diskstats";
    if (options_.everything) {
      // Partitions are left out: what they move is in their disk's numbers.
      auto known = std::make_shared<std::map<std::string, bool, std::less<>>>();
      const auto wanted = [known, devices = devices_](std::string_view disk) {
        auto place = known->find(disk);
        if (place == known->end())
          place = known->emplace(disk, devices.is_whole_disk(std::string(disk))).first;
        return place->second;
      };
      if (!add_file(Format::diskstats, "", all, wanted)) absent("disk: no {}", all.string());
      return;
    }
    for (const std::string& disk : disks_) {
      const fs::path stat = devices_.folder_of(disk) / "stat";
      if (add_file(Format::block_stat, disk, stat)) continue;
      const auto wanted = [disk](std::string_view name) { return name == disk; };
      if (!add_file(Format::diskstats, "", all, wanted))
        absent("disk: no {} nor {}", stat.string(), all.string());
    }
    if (disks_.empty()) {
      if (options_.directories.empty())
        absent("disk: no directory to watch");
      else
        absent("disk: {}", fmt::join(sources_.storage.elsewhere, "; "));
    }
  }

  void add_nfs() {
    std::vector<std::string> points;
    if (options_.everything) {
      for (const Mount& mount : devices_.mounts())
        if (is_nfs(mount)) points.push_back(mount.point_as_written);
    } else {
      for (const Mount* mount : mounts_)
        if (is_nfs(*mount)) add_once(points, mount->point_as_written);
    }
    const fs::path path = root_ / "proc/self/mountstats";
    if (points.empty()) return absent("nfs: no such mount in {}", (root_ / "proc/self/mountinfo").string());
    const bool all = options_.everything;  // also those that come later
    const auto wanted = [points, all](std::string_view point) {
      return all || std::ranges::find(points, point) != points.end();
    };
    if (!add_file(Format::mountstats, "", path, wanted)) absent("nfs: no {}", path.string());
  }

  void add_lustre_mounts() {
    std::vector<std::string> names;
    for (const Mount* mount : mounts_)
      if (mount->type == "lustre") add_once(names, lustre_name(mount->source));
    if (options_.everything) names.clear();
    if (options_.everything || !names.empty())
      add_lustre(root_, names, sources_);
    else
      absent("lustre: no such mount in {}", (root_ / "proc/self/mountinfo").string());
  }

  void add_commands() {
    for (const auto& arguments : options_.commands)
      if (!arguments.empty()) sources_.commands.push_back({.arguments = arguments, .input = {}});
    const fs::path mmpmon = root_ / "usr/lpp/mmfs/bin/mmpmon";
    const bool named = std::ranges::any_of(sources_.commands, [](const Command& command) {
      return fs::path(command.arguments.front()).filename() == "mmpmon";
    });
    const bool wanted = options_.everything || std::ranges::any_of(mounts_, [](const Mount* mount) {
                          return mount->type == "gpfs";
                        });
    if (!named && wanted && ::access(mmpmon.c_str(), X_OK) == 0)
      sources_.commands.push_back({.arguments = {mmpmon.string(), "-p"}, .input = "fs_io_s\n"});
    else if (!named && options_.commands.empty())
      absent("gpfs: no {}", wanted ? mmpmon.string() : "such mount, and no command mmpmon -p given");
    if (options_.commands.empty())
      absent("gluster: no command given, such as gluster volume profile NAME info cumulative");
  }

  // 64-bit counters where the adapter has them; the others of the same name are left out then.
  void add_infiniband() {
    const fs::path adapters = root_ / "sys/class/infiniband";
    bool found = false;
    for (const std::string& adapter : names_in(adapters)) {
      for (const std::string& port : names_in(adapters / adapter / "ports")) {
        const fs::path folder = adapters / adapter / "ports" / port;
        SourceFile file{.format = Format::infiniband,
                        .instance = fmt::format("{}/{}", adapter, port),
                        .paths = {},
                        .wanted = {}};
        for (const std::string name :
             {"port_xmit_data", "port_rcv_data", "port_xmit_packets", "port_rcv_packets", "port_xmit_wait"}) {
          const fs::path wide = folder / "counters_ext" / (name + "_64"), usual = folder / "counters" / name;
          if (readable(wide))
            file.paths.push_back(wide);
          else if (readable(usual))
            file.paths.push_back(usual);
        }
        if (file.paths.empty()) continue;
        sources_.files.push_back(std::move(file));
        found = true;
      }
    }
    if (!found) absent("ib: no {}", (adapters / "*/ports/*/counters").string());
  }

  // Where the group of this process lies in a mounted hierarchy. In a container the mount shows a part of it.
  static fs::path group_folder(const fs::path& root, const Mount& mount, std::string_view group) {
    if (mount.root != "/" && group.starts_with(mount.root)) group.remove_prefix(mount.root.size());
    while (group.starts_with('/')) group.remove_prefix(1);
    return root / mount.point.relative_path() / group;
  }

  void add_cgroup() {
    const fs::path membership = root_ / "proc/self/cgroup";
    const auto text = read_text(membership, 1 << 20);
    if (!text) return absent("cgroup: no {}", membership.string());
    bool found = false;
    fs::path looked_for;
    std::string_view rest = *text;
    for (std::string_view line; next_line(rest, line);) {  // "7:blkio:/group", "0::/group"
      const std::size_t first = line.find(':'), second = line.find(':', first + 1);
      if (first == std::string_view::npos || second == std::string_view::npos) continue;
      const std::string_view controllers = line.substr(first + 1, second - first - 1);
      const std::string_view group = line.substr(second + 1);
      const bool one = has_option(controllers, "blkio");
      if (!one && !controllers.empty()) continue;
      for (const Mount& mount : devices_.mounts()) {
        if (one ? mount.type != "cgroup" || !has_option(mount.options, "blkio") : mount.type != "cgroup2")
          continue;
        const fs::path folder = group_folder(root_, mount, group);
        looked_for = folder / (one ? "blkio.throttle.io_service_bytes" : "io.stat");
        found |= add_file(one ? Format::blkio_bytes : Format::io_stat, "", looked_for);
        if (one) add_file(Format::blkio_operations, "", folder / "blkio.throttle.io_serviced");
        break;
      }
    }
    if (!found)
      absent("cgroup: no {}", looked_for.empty() ? "mount with the io controller" : looked_for.string());
  }

  const WatchOptions& options_;
  fs::path root_;
  Devices devices_;
  Sources sources_;
  std::vector<const Mount*> mounts_;  // of the directories
  std::vector<std::string> disks_;
};

}  // namespace

Sources find_sources(const WatchOptions& options) { return Finder(options).find(); }

}  // namespace weir::monitor::detail
