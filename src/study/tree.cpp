#include "study/tree.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/units.hpp"

namespace weir::study {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOfBurst = ".weir-";

std::int64_t nanoseconds(const statx_timestamp& time) {
  return time.tv_sec * 1'000'000'000 + static_cast<std::int64_t>(time.tv_nsec);
}

Result<Entry> look(const fs::path& path) {
  struct statx found {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &found) != 0)
    return Error::from_errno(errno, "cannot be looked at").in(path.string());
  Entry entry;
  entry.kind = S_ISREG(found.stx_mode)   ? Entry::Kind::file
               : S_ISDIR(found.stx_mode) ? Entry::Kind::directory
               : S_ISLNK(found.stx_mode) ? Entry::Kind::link
                                         : Entry::Kind::other;
  if (entry.kind == Entry::Kind::file) entry.size = found.stx_size;
  entry.modified_ns = nanoseconds(found.stx_mtime);
  if ((found.stx_mask & STATX_BTIME) != 0) entry.born_ns = nanoseconds(found.stx_btime);
  if (entry.kind == Entry::Kind::link) {
    std::error_code failed;
    entry.target = fs::read_symlink(path, failed).string();
  }
  return entry;
}

Result<void> fill(const fs::path& root, const std::string& below, const std::vector<fs::path>& skip,
                  Tree& tree) {
  std::error_code failed;
  const fs::path here = below.empty() ? root : root / below;
  fs::directory_iterator entries(here, failed);
  if (failed) return Error::from_errno(failed.value(), "cannot be read").in(here.string());
  for (; entries != fs::directory_iterator(); entries.increment(failed)) {
    if (failed) return Error::from_errno(failed.value(), "cannot be read").in(here.string());
    const std::string name = entries->path().filename().string();
    if (below.empty() && name.starts_with(kOfBurst)) continue;
    if (std::ranges::find(skip, entries->path().lexically_normal()) != skip.end()) continue;
    const std::string relative = below.empty() ? name : below + "/" + name;
    const auto entry = look(entries->path());
    if (!entry) return entry.error();
    tree[relative] = *entry;
    if (entry->kind == Entry::Kind::directory)
      if (auto done = fill(root, relative, skip, tree); !done) return done;
  }
  return {};
}

Result<void> set_modified(const fs::path& path, std::int64_t modified_ns) {
  const timespec times[2] = {{0, UTIME_OMIT}, {modified_ns / 1'000'000'000, modified_ns % 1'000'000'000}};
  if (::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0)
    return Error::from_errno(errno, "its time cannot be set").in(path.string());
  return {};
}

Result<void> copy_entry(const fs::path& from, const Entry& entry, const fs::path& to) {
  std::error_code failed;
  fs::create_directories(entry.kind == Entry::Kind::directory ? to : to.parent_path(), failed);
  if (!failed && entry.kind == Entry::Kind::link) fs::create_symlink(entry.target, to, failed);
  if (!failed && entry.kind == Entry::Kind::file) {
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, failed);
    if (!failed)
      if (auto done = set_modified(to, entry.modified_ns); !done) return done;
  }
  if (failed)
    return Error::from_errno(failed.value(), "cannot be copied to " + to.string()).in(from.string());
  return {};
}

Result<void> remove_tree(const fs::path& path) {
  std::error_code failed;
  fs::remove_all(path, failed);
  if (failed) return Error::from_errno(failed.value(), "cannot be removed").in(path.string());
  return {};
}

// The first byte that differs, -1 where none does. Both are files of the same size.
Result<std::int64_t> first_difference(const fs::path& left, const fs::path& right) {
  const auto a = open_file(left, O_RDONLY);
  if (!a) return a.error();
  const auto b = open_file(right, O_RDONLY);
  if (!b) return b.error();
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<char> x(kBlock), y(kBlock);
  const auto fill_block = [](int fd, std::vector<char>& block) -> ssize_t {
    std::size_t used = 0;
    while (used < block.size()) {
      const ssize_t got = ::read(fd, block.data() + used, block.size() - used);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return -1;
      if (got == 0) break;
      used += static_cast<std::size_t>(got);
    }
    return static_cast<ssize_t>(used);
  };
  for (std::int64_t at = 0;;) {
    const ssize_t m = fill_block(a->get(), x), n = fill_block(b->get(), y);
    if (m < 0 || n < 0) return Error::from_errno(errno, "cannot be read").in((m < 0 ? left : right).string());
    const auto common = static_cast<std::size_t>(std::min(m, n));
    if (std::memcmp(x.data(), y.data(), common) != 0 || m != n) {
      std::size_t i = 0;
      while (i < common && x[i] == y[i]) ++i;
      return at + static_cast<std::int64_t>(i);
    }
    if (m == 0) return -1;
    at += m;
  }
}

}  // namespace

std::int64_t next_file_tick_ns() {
  const auto now = [](clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
  };
  // A file's time is the coarse clock's, or where the kernel finds that worth it the fine one's, which is
  // ahead.
  const std::int64_t last = now(CLOCK_REALTIME);
  while (now(CLOCK_REALTIME_COARSE) <= last) std::this_thread::yield();
  return last + 1;
}

Result<Tree> look_at(const fs::path& directory, const std::vector<fs::path>& skip) {
  Tree tree;
  std::error_code failed;
  if (!fs::exists(directory, failed)) return tree;
  if (const auto done = fill(directory, "", skip, tree); !done) return done.error();
  return tree;
}

Result<Original> Original::keep(const Options& options) {
  Original made;
  made.options_ = options;
  auto tree = look_at(options.directory, options.skip);
  if (!tree) return tree.error();
  made.tree_ = *std::move(tree);
  made.remove_all_ = true;
  for (const auto& [name, entry] : made.tree_)
    if (entry.kind == Entry::Kind::file) made.kept_.insert(name);
  if (const auto done = made.copy_all(); !done) return done.error();
  return made;
}

Result<Original> Original::keep_after(const Options& options, std::int64_t since_ns,
                                      const std::set<std::string>& written) {
  Original made;
  made.options_ = options;
  auto tree = look_at(options.directory, options.skip);
  if (!tree) return tree.error();
  made.written_ = written;
  for (const auto& [name, entry] : *tree) {
    // Without times of birth, what the program is known to write counts as new.
    if (entry.born_ns >= since_ns || (entry.born_ns == 0 && written.contains(name))) continue;
    if (entry.kind == Entry::Kind::file && entry.modified_ns >= since_ns) {
      made.changed_before_.push_back(name);
      made.kept_.insert(name);
    } else if (entry.kind == Entry::Kind::file && written.contains(name)) {
      made.kept_.insert(name);
    }
    made.tree_[name] = entry;
  }
  made.remove_all_ = made.tree_.empty();
  if (const auto done = made.copy_all(); !done) return done.error();
  return made;
}

Result<void> Original::copy_all() {
  std::uint64_t bytes = 0;
  for (const std::string& name : kept_) bytes += tree_.at(name).size;
  if (bytes > options_.most_bytes)
    return Error{Errc::too_big, fmt::format("{} would have to be kept to put it back before each run",
                                            format_bytes(Bytes(bytes)))}
        .in(options_.directory.string())
        .with_remedy("let the program write to a directory of its own, and name it with --dir");
  Tree entries;
  for (const std::string& name : kept_) entries[name] = tree_.at(name);
  return copy_entries(options_.directory, entries, options_.copies);
}

bool Original::removable(const std::string& name) const {
  if (remove_all_ || written_.contains(name)) return true;
  // Something in it is the program's, so it is: directories that the program made.
  const std::string below = name + "/";
  const auto next = written_.lower_bound(below);
  return next != written_.end() && next->starts_with(below);
}

Result<void> Original::put_back() const {
  std::error_code failed;
  fs::create_directories(options_.directory, failed);
  if (failed) return Error::from_errno(failed.value(), "cannot be made").in(options_.directory.string());
  const auto now = look_at(options_.directory, options_.skip);
  if (!now) return now.error();
  // From the deepest name on, so that a directory goes after what is in it.
  for (auto at = now->rbegin(); at != now->rend(); ++at) {
    const auto& [name, entry] = *at;
    const auto before = tree_.find(name);
    if (before != tree_.end() && before->second.kind == entry.kind) continue;
    if (before == tree_.end() && !removable(name)) continue;
    if (entry.kind == Entry::Kind::directory && before == tree_.end()) {
      fs::remove(options_.directory / name, failed);  // only what is empty by now
      continue;
    }
    if (auto gone = remove_tree(options_.directory / name); !gone) return gone;
  }
  for (const auto& [name, entry] : tree_) {
    const auto found = now->find(name);
    if (found != now->end() && found->second.same_as(entry)) continue;
    const fs::path place = options_.directory / name;
    if (entry.kind == Entry::Kind::file && !kept_.contains(name)) {
      return Error{Errc::bad_data, "was changed by a run, and it was not known before that it would be"}
          .in(place.string())
          .with_remedy("name the directory with --dir: then it is kept before the first run");
    }
    if (entry.kind == Entry::Kind::other) continue;
    if (entry.kind != Entry::Kind::directory)
      if (auto gone = remove_tree(place); !gone) return gone;
    if (auto done = copy_entry(options_.copies / name, entry, place); !done) return done;
  }
  return {};
}

Result<void> Original::leave(const fs::path& results, const std::set<std::string>& removed) const {
  if (auto done = put_back(); !done) return done;
  const auto made = look_at(results, {});
  if (!made) return made.error();
  for (const auto& [name, entry] : *made) {
    const fs::path place = options_.directory / name;
    if (entry.kind == Entry::Kind::other) continue;
    if (entry.kind != Entry::Kind::directory)
      if (auto gone = remove_tree(place); !gone) return gone;
    if (auto done = copy_entry(results / name, entry, place); !done) return done;
  }
  for (const std::string& name : removed)
    if (!made->contains(name))
      if (auto gone = remove_tree(options_.directory / name); !gone) return gone;
  return {};
}

Result<Changes> Original::changed() const {
  auto now = look_at(options_.directory, options_.skip);
  if (!now) return now.error();
  Changes made;
  for (const auto& [name, entry] : *now) {
    const auto before = tree_.find(name);
    if (before != tree_.end() && (before->second.same_as(entry) || entry.kind == Entry::Kind::directory))
      continue;
    if (before == tree_.end() && !removable(name)) continue;
    made.entries[name] = entry;
  }
  for (const auto& [name, entry] : tree_)
    if (!now->contains(name)) made.removed.insert(name);
  return made;
}

Json Original::to_json() const {
  Json entries = Json::array();
  for (const auto& [name, entry] : tree_)
    entries.push_back({{"name", name},
                       {"kind", static_cast<int>(entry.kind)},
                       {"size_bytes", entry.size},
                       {"modified_ns", entry.modified_ns},
                       {"target", entry.target}});
  return {{"entries", entries},
          {"kept", kept_},
          {"written", written_},
          {"remove_all", remove_all_},
          {"changed_before", changed_before_}};
}

Result<Original> Original::read(const Options& options, const Json& kept) {
  Original made;
  made.options_ = options;
  try {
    for (const Json& one : kept.at("entries")) {
      Entry entry;
      entry.kind = static_cast<Entry::Kind>(std::clamp(one.at("kind").get<int>(), 0, 3));
      entry.size = one.at("size_bytes").get<std::uint64_t>();
      entry.modified_ns = one.at("modified_ns").get<std::int64_t>();
      entry.target = one.at("target").get<std::string>();
      made.tree_[one.at("name").get<std::string>()] = entry;
    }
    made.kept_ = kept.at("kept").get<std::set<std::string>>();
    made.written_ = kept.at("written").get<std::set<std::string>>();
    made.remove_all_ = kept.at("remove_all").get<bool>();
    made.changed_before_ = kept.at("changed_before").get<std::vector<std::string>>();
  } catch (const Json::exception& problem) {
    return Error{Errc::bad_data, problem.what()};
  }
  return made;
}

Result<void> copy_entries(const fs::path& from, const Tree& entries, const fs::path& to) {
  if (auto gone = remove_tree(to); !gone) return gone;
  std::error_code failed;
  fs::create_directories(to, failed);
  if (failed) return Error::from_errno(failed.value(), "cannot be made").in(to.string());
  for (const auto& [name, entry] : entries) {
    if (entry.kind == Entry::Kind::other) continue;
    if (auto done = copy_entry(from / name, entry, to / name); !done) return done;
  }
  return {};
}

Result<Comparison> compare(const fs::path& reference, const std::set<std::string>& removed,
                           const fs::path& directory, const Changes& changes) {
  const Tree& entries = changes.entries;
  const auto expected = look_at(reference, {});
  if (!expected) return expected.error();
  Comparison made;
  for (const auto& [name, entry] : *expected) {
    if (entry.kind == Entry::Kind::file) ++made.files;
    const auto found = entries.find(name);
    if (found == entries.end()) {
      // Directories that only hold what was changed are in the reference too.
      std::error_code failed;
      if (entry.kind != Entry::Kind::directory || !fs::is_directory(directory / name, failed))
        made.differences.push_back({name, "is missing"});
      continue;
    }
    if (found->second.kind != entry.kind || found->second.target != entry.target) {
      made.differences.push_back({name, "is of another kind"});
      continue;
    }
    if (entry.kind != Entry::Kind::file) continue;
    if (found->second.size != entry.size) {
      made.differences.push_back(
          {name, fmt::format("has {} bytes instead of {}", found->second.size, entry.size)});
      continue;
    }
    const auto first = first_difference(reference / name, directory / name);
    if (!first) return first.error();
    if (*first >= 0)
      made.differences.push_back({name, fmt::format("differs from byte {} on", *first)});
    else
      made.bytes += entry.size;
  }
  for (const auto& [name, entry] : entries)
    if (!expected->contains(name) && entry.kind != Entry::Kind::other)
      made.differences.push_back({name, "is new"});
  for (const std::string& name : changes.removed)
    if (!removed.contains(name) && !expected->contains(name))
      made.differences.push_back({name, "is missing"});
  for (const std::string& name : removed)
    if (!changes.removed.contains(name) && !entries.contains(name))
      made.differences.push_back({name, "is still there"});
  return made;
}

}  // namespace weir::study
