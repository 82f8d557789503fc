#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "base/result.hpp"

namespace weir::study {

struct Entry {
  enum class Kind : std::uint8_t { file, directory, link, other };

  Kind kind = Kind::file;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t born_ns = 0;  // 0 where the file system does not tell
  std::string target;        // of a link

  bool same_as(const Entry& other) const {
    return kind == other.kind && size == other.size && target == other.target &&
           (kind != Kind::file || modified_ns == other.modified_ns);
  }
};

// What is in a directory at a moment, by names relative to it.
using Tree = std::map<std::string, Entry>;

// What a run has left in a directory that is different from before.
struct Changes {
  Tree entries;                   // new or changed
  std::set<std::string> removed;  // names that are gone
};

// Links are not followed. Directories in `skip` (absolute) and what a burst buffer keeps for itself are left
// out. A directory that is not there is empty.
Result<Tree> look_at(const std::filesystem::path& directory, const std::vector<std::filesystem::path>& skip);

// Waits for the next tick of the clock that file systems take their times from, some milliseconds: what is
// there already was born before it, what comes is not.
std::int64_t next_file_tick_ns();

// A directory as it was before a program ran, so that it can be put back.
class Original {
 public:
  struct Options {
    std::filesystem::path directory;
    std::filesystem::path copies;  // where what may change is kept
    std::vector<std::filesystem::path> skip;
    std::uint64_t most_bytes = std::uint64_t{4} << 30;
  };

  // Before the first run: everything is kept, and whatever is new later on is removed.
  static Result<Original> keep(const Options& options);
  // After a run that began at `since_ns`: what was born since then was not there. `written` are the names,
  // relative to the directory, that the program is known to change: they alone are kept, and where others had
  // files in the directory, they alone are removed.
  static Result<Original> keep_after(const Options& options, std::int64_t since_ns,
                                     const std::set<std::string>& written);
  static Result<Original> read(const Options& options, const Json& kept);
  Json to_json() const;

  Result<void> put_back() const;
  // The directory as a run leaves it: the original with these results (copy_entries()), and without what the
  // run has removed.
  Result<void> leave(const std::filesystem::path& results, const std::set<std::string>& removed) const;
  // What is different from the original now: what a run has left.
  Result<Changes> changed() const;

  const std::filesystem::path& directory() const { return options_.directory; }
  // Files that a run had changed before they could be kept: runs begin with what it left.
  const std::vector<std::string>& changed_before() const { return changed_before_; }

 private:
  Result<void> copy_all();
  bool removable(const std::string& name) const;

  Options options_;
  Tree tree_;
  std::set<std::string> kept_;     // with a copy
  std::set<std::string> written_;  // of the program
  bool remove_all_ = false;
  std::vector<std::string> changed_before_;
};

// Copies these entries of `from` into `to`, which is emptied first.
Result<void> copy_entries(const std::filesystem::path& from, const Tree& entries,
                          const std::filesystem::path& to);

struct Difference {
  std::string name;
  std::string what;  // "is missing", "is new", "is still there", "differs from byte 4096 on"

  // Files that exist in both and hold something else; all others are of whether there is anything.
  bool of_bytes() const {
    return what.starts_with("differs ") || (what.starts_with("has ") && !what.starts_with("has 0 bytes"));
  }
};

struct Comparison {
  std::uint64_t files = 0;  // of the reference
  std::uint64_t bytes = 0;  // of files that are the same
  std::vector<Difference> differences;
};

// Byte by byte: what a run has left in `directory` against the reference, a copy of the entries that another
// left, and the names that it removed.
Result<Comparison> compare(const std::filesystem::path& reference, const std::set<std::string>& removed,
                           const std::filesystem::path& directory, const Changes& changes);

}  // namespace weir::study
