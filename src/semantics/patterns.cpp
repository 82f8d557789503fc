#include "semantics/patterns.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <set>

#include "semantics/detail/stride.hpp"

namespace weir::semantics {
namespace {

constexpr std::int64_t kNoEnd = -1;

void follow(Sequence& sequence, std::int64_t& end, const Access& access) {
  if (end != kNoEnd) {
    if (access.begin == end)
      ++sequence.consecutive;
    else if (access.begin > end)
      ++sequence.monotonic;
    else
      ++sequence.random;
  }
  end = access.end;
}

bool counts(const Access& access, bool writes) {
  return access.writes() == writes &&
         (access.flags & (Access::kTruncates | Access::kMapped | Access::kMissed)) == 0;
}

FilePattern pattern_of(const Accesses& accesses, std::size_t index, bool writes) {
  const File& file = accesses.files[index];
  FilePattern pattern;
  pattern.file = index;
  pattern.writes = writes;
  std::vector<std::int64_t> ends(file.members.size(), kNoEnd);
  std::vector<bool> seen(file.members.size());
  std::int64_t end = kNoEnd;
  std::vector<std::vector<const Access*>> by_member(file.members.size());
  for (const Access& access : file.accesses) {
    if (!counts(access, writes)) continue;
    follow(pattern.global, end, access);
    follow(pattern.local, ends[access.member], access);
    pattern.sizes.add(static_cast<std::uint64_t>(access.end - access.begin));
    by_member[access.member].push_back(&access);
  }
  for (std::size_t i = 0; i < by_member.size(); ++i)
    if (!by_member[i].empty()) pattern.processes.push_back(file.members[i].process);
  std::erase_if(by_member, [](const auto& one) { return one.empty(); });
  pattern.stride = detail::find_stride(by_member);
  return pattern;
}

// Files of a series and files per rank are one group: numbers become '#'.
std::string group_name(const std::string& name) {
  std::string group;
  for (const char c : name) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit)
      group += c;
    else if (group.empty() || group.back() != '#')
      group += '#';
  }
  return group;
}

std::string shape_of(const std::vector<const FilePattern*>& files) {
  Sequence local;
  std::size_t strided = 0;
  std::size_t cyclic = 0;
  for (const FilePattern* const one : files) {
    local.add(one->local);
    strided += one->stride ? 1 : 0;
    cyclic += one->stride && one->stride->cyclic() ? 1 : 0;
  }
  if (cyclic * 2 > files.size()) return "strided cyclic";
  if (strided * 2 > files.size()) return "strided";
  if (local.consecutive >= local.monotonic && local.consecutive >= local.random) return "consecutive";
  return local.monotonic >= local.random ? "monotonic" : "random";
}

std::string pattern_name(std::uint64_t all, const std::set<std::uint32_t>& processes,
                         const std::vector<const FilePattern*>& files) {
  const std::uint64_t count = processes.size();
  if (count == 1) return "1-1";
  const std::string who = count == all ? "N" : "M";
  const bool own = std::all_of(files.begin(), files.end(),
                               [](const FilePattern* one) { return one->processes.size() == 1; });
  if (own) return who + "-" + who;
  const bool shared = std::all_of(files.begin(), files.end(),
                                  [&](const FilePattern* one) { return one->processes.size() == count; });
  return who + (shared ? "-1" : "-M");
}

std::vector<GroupPattern> groups_of(const Accesses& accesses, const Patterns& patterns) {
  std::map<std::pair<std::string, bool>, std::vector<const FilePattern*>> members;
  for (const FilePattern& one : patterns.files)
    members[{group_name(accesses.files[one.file].name), one.writes}].push_back(&one);
  std::vector<GroupPattern> groups;
  for (const auto& [key, files] : members) {
    GroupPattern group;
    std::set<std::uint32_t> processes;
    for (const FilePattern* const one : files) {
      processes.insert(one->processes.begin(), one->processes.end());
      group.bytes += one->sizes.bytes;
    }
    group.name = files.size() == 1 ? accesses.files[files.front()->file].name : key.first;
    group.writes = key.second;
    group.files = files.size();
    group.processes = processes.size();
    group.pattern = pattern_name(patterns.processes, processes, files);
    group.shape = shape_of(files);
    groups.push_back(std::move(group));
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const GroupPattern& a, const GroupPattern& b) { return a.bytes > b.bytes; });
  return groups;
}

}  // namespace

void Sequence::add(const Sequence& more) {
  consecutive += more.consecutive;
  monotonic += more.monotonic;
  random += more.random;
}

void Sizes::add(std::uint64_t one) {
  ++bins[one == 0 ? 0 : static_cast<std::size_t>(std::bit_width(one) - 1)];
  least = count == 0 ? one : std::min(least, one);
  most = std::max(most, one);
  bytes += one;
  ++count;
}

void Sizes::add(const Sizes& more) {
  if (more.count == 0) return;
  least = count == 0 ? more.least : std::min(least, more.least);
  most = std::max(most, more.most);
  bytes += more.bytes;
  count += more.count;
  for (std::size_t i = 0; i < bins.size(); ++i) bins[i] += more.bins[i];
}

Patterns find_patterns(const Accesses& accesses) {
  Patterns patterns;
  std::uint64_t ranks = 0;
  std::uint64_t processes = 0;
  for (const Accesses::Program& program : accesses.programs)
    for (const trace::ProcessInfo& process : program.trace->processes()) {
      ranks += process.rank >= 0 ? 1 : 0;
      ++processes;
    }
  patterns.processes = ranks > 0 ? ranks : processes;
  for (std::size_t i = 0; i < accesses.files.size(); ++i)
    for (const bool writes : {false, true}) {
      FilePattern one = pattern_of(accesses, i, writes);
      if (one.sizes.count == 0) continue;
      patterns.local.add(one.local);
      patterns.global.add(one.global);
      (writes ? patterns.writes : patterns.reads).add(one.sizes);
      patterns.files.push_back(std::move(one));
    }
  patterns.groups = groups_of(accesses, patterns);
  return patterns;
}

}  // namespace weir::semantics
