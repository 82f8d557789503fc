#include "monitor/detail/lustre_places.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "base/folders.hpp"

namespace weir::monitor::detail {
namespace fs = std::filesystem;
namespace {

constexpr std::array<const char*, 3> kPlaces = {"proc/fs/lustre", "sys/kernel/debug/lustre", "sys/fs/lustre"};

struct Kind {
  const char* folder;
  Format format;
};
constexpr std::array<Kind, 3> kKinds = {
    {{"llite", Format::lustre_llite}, {"osc", Format::lustre_osc}, {"obdfilter", Format::lustre_obdfilter}}};

// Of a folder's name, what a person calls it: "scratch-ffff88105db50000" is the mount "scratch",
// "scratch-OST0000-osc-ffff88105db50000" the target "scratch-OST0000".
std::string instance_of(Format format, const std::string& folder) {
  if (format == Format::lustre_obdfilter) return folder;
  if (format == Format::lustre_osc) return folder.substr(0, folder.find("-osc"));
  return folder.substr(0, folder.rfind('-'));
}

bool belongs(const std::string& instance, const std::vector<std::string>& names) {
  return names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
           return instance == name || instance.starts_with(name + "-");
         });
}

}  // namespace

std::string lustre_name(std::string_view mount_source) {
  const std::size_t at = mount_source.rfind(":/");
  if (at == std::string_view::npos) return {};
  mount_source.remove_prefix(at + 2);
  return std::string(mount_source.substr(0, mount_source.find('/')));
}

void add_lustre(const fs::path& root, const std::vector<std::string>& names, Sources& sources) {
  bool there = false, found = false;
  for (const char* place : kPlaces) {
    std::error_code ignored;
    there = there || fs::exists(root / place, ignored);
    for (const Kind& kind : kKinds) {
      const fs::path folder = root / place / kind.folder;
      std::map<std::string, int> times;  // the same file system can be mounted twice
      const auto folders = names_in(folder);
      for (const std::string& name : folders) ++times[instance_of(kind.format, name)];
      for (const std::string& name : folders) {
        const std::string instance = instance_of(kind.format, name);
        if (!belongs(instance, names) || !readable(folder / name / "stats")) continue;
        sources.files.push_back({.format = kind.format,
                                 .instance = times[instance] == 1 ? instance : name,
                                 .paths = {folder / name / "stats"},
                                 .wanted = {}});
        found = true;
      }
    }
  }
  if (!there)
    sources.absent.push_back(fmt::format("lustre: no {}, {} or {}", (root / kPlaces[0]).string(),
                                         (root / kPlaces[1]).string(), (root / kPlaces[2]).string()));
  else if (!found)
    sources.absent.emplace_back("lustre: no readable llite/*/stats, osc/*/stats or obdfilter/*/stats");
}

}  // namespace weir::monitor::detail
