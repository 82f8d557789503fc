#include "study/directory.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "semantics/accesses.hpp"
#include "trace/trace_file.hpp"

namespace weir::study {
namespace {

namespace fs = std::filesystem;

constexpr double kNearlyAll = 0.95;
constexpr std::array kSystem = {"/dev", "/proc", "/sys"};

bool is_below(const std::string& name, const fs::path& directory) {
  const std::string root = directory.string() == "/" ? "/" : directory.string() + "/";
  return name.starts_with(root);
}

std::vector<Touched::File> counted(const std::vector<Touched::File>& written, const fs::path& own) {
  std::vector<Touched::File> files;
  for (const Touched::File& file : written)
    if (!is_below(file.name, own) &&
        std::ranges::none_of(kSystem, [&](const char* folder) { return is_below(file.name, folder); }))
      files.push_back(file);
  std::error_code unknown;
  const auto is_there = [&](const Touched::File& file) { return fs::exists(file.name, unknown); };
  if (std::ranges::any_of(files, is_there))
    std::erase_if(files, [&](const auto& file) { return !is_there(file); });
  return files;
}

}  // namespace

Result<Touched> find_touched(const fs::path& trace) {
  const auto opened = trace::TraceFile::open(trace);
  if (!opened) return opened.error();
  const auto accesses = semantics::rebuild({&*opened});
  if (!accesses) return accesses.error().in(trace.string());
  Touched made;
  std::set<std::uint32_t> processes;
  for (const semantics::File& file : accesses->files) {
    if (file.written_bytes == 0) continue;
    const std::string& name = file.later_names.empty() ? file.name : file.later_names.back();
    made.written.push_back({name, file.written_bytes});
    made.names.insert(file.name);
    made.names.insert(file.later_names.begin(), file.later_names.end());
    for (const semantics::Member& member : file.members) processes.insert(member.process);
  }
  made.processes = processes.size();
  for (const semantics::NameUse& use : accesses->name_uses) {
    if (!use.changes()) continue;
    made.names.insert(accesses->names[use.name]);
    if (use.kind == semantics::NameUse::Kind::rename || use.kind == semantics::NameUse::Kind::link)
      made.names.insert(accesses->names[use.other]);
  }
  return made;
}

std::optional<Place> find_place(const std::vector<Touched::File>& written, const fs::path& own) {
  const std::vector<Touched::File> files = counted(written, own);
  if (files.empty()) return std::nullopt;
  std::map<fs::path, double> bytes;  // of each directory, with all below it
  double all = 0;
  for (const Touched::File& file : files) {
    const double size = std::max(1.0, static_cast<double>(file.bytes));
    all += size;
    for (fs::path at = fs::path(file.name).parent_path();; at = at.parent_path()) {
      bytes[at] += size;
      if (at == at.parent_path()) break;
    }
  }
  Place place{"/", 1, {}};
  std::size_t deepest = 0;
  for (const auto& [directory, held] : bytes) {
    const auto depth = static_cast<std::size_t>(std::distance(directory.begin(), directory.end()));
    if (held < kNearlyAll * all || depth < deepest) continue;
    deepest = depth;
    place.directory = directory;
    place.share = held / all;
  }
  for (const Touched::File& file : files)
    if (!is_below(file.name, place.directory)) place.outside.push_back(file.name);
  return place;
}

std::set<std::string> names_below(const std::set<std::string>& names, const fs::path& directory) {
  std::set<std::string> made;
  for (const std::string& name : names)
    if (is_below(name, directory)) made.insert(name.substr(directory.string().size() + 1));
  return made;
}

}  // namespace weir::study
