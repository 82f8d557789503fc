#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"
#include "burst/protocol.hpp"

namespace weir::burst {

// A name below the mount: no leading slash, no empty part, no "." or "..", no zero byte, not too long.
bool is_clean_path(std::string_view path);

// The directory that the buffer stands before. Names are clean paths; none leads out of it, whatever symbolic
// links lie in it. Failures are errno values, zero is success.
class Backing {
 public:
  static Result<Backing> open(const std::filesystem::path& directory);

  // What is there: attributes, or ENOENT and its like.
  Outcome<Attributes> stat(const std::string& path) const;
  int truncate(const std::string& path, std::uint64_t size) const;
  int unlink(const std::string& path) const;
  int rename(const std::string& from, const std::string& to) const;
  // Whether a file of this name could be created: its directory is there.
  int check_parent(const std::string& path) const;
  // A descriptor, or -1 and errno.
  UniqueFd open_file(const std::string& path, int flags, std::uint32_t mode = 0) const;

  const std::filesystem::path& directory() const { return directory_; }

 private:
  Backing(UniqueFd root, std::filesystem::path directory)
      : root_(std::move(root)), directory_(std::move(directory)) {}

  // The directory that holds `path`, and the last part of it.
  UniqueFd open_parent(const std::string& path, std::string& last) const;

  UniqueFd root_;
  std::filesystem::path directory_;
};

}  // namespace weir::burst
