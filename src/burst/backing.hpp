#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <fcntl.h>

#include "base/unique_fd.hpp"
#include "burst/file_protocol.hpp"

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
  // Whether this process may: R_OK and W_OK.
  bool allows(const std::string& path, std::uint32_t access) const;
  int truncate(const std::string& path, std::uint64_t size) const;
  // What differs of mode, owner and time of modification.
  int set_attributes(const std::string& path, const Attributes& before, const Attributes& now) const;
  int unlink(const std::string& path) const;
  int rename(const std::string& from, const std::string& to) const;
  // A second name; no failure where it is one already.
  int link(const std::string& file, const std::string& name) const;
  // Whether a file of this name could be created: its directory is there.
  int check_parent(const std::string& path) const;
  // The name outlives the machine.
  int sync_folder_of(const std::string& path) const;
  // A descriptor, or -1 and errno.
  UniqueFd open_file(const std::string& path, int flags, std::uint32_t mode = 0) const;

  // Made if it is not there; also where its owner has taken the right to write away.
  UniqueFd open_to_write(const std::string& path) const;
  // Mode, owner and time of modification.
  static int give(int file, const Attributes& attributes);

  const std::filesystem::path& directory() const { return directory_; }

 private:
  Backing(UniqueFd root, std::filesystem::path directory)
      : root_(std::move(root)), directory_(std::move(directory)) {}

  // The directory that holds `path`, and the last part of it.
  UniqueFd open_parent(const std::string& path, std::string& last, int flags = O_PATH) const;

  UniqueFd root_;
  std::filesystem::path directory_;
};

}  // namespace weir::burst
