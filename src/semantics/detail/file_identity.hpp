#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weir::semantics::detail {

// Which file a name stands for, as names are made, changed and removed. Files are numbered in the order in
// which they are first met.
class FileIdentity {
 public:
  // The file behind the name; a new one if none was seen there.
  std::uint32_t open(const std::string& path);
  // A new one in a directory, which no name stands for.
  std::uint32_t open_unnamed(const std::string& directory);
  bool known(const std::string& path) const;
  void rename(const std::string& from, const std::string& to);      // also of a directory with all in it
  void exchange(const std::string& one, const std::string& other);  // likewise
  void link(const std::string& from, const std::string& to);
  void soft_link(const std::string& path, const std::string& target);
  void remove(const std::string& path);

  // The names each file had, the first one first.
  const std::vector<std::vector<std::string>>& names() const { return names_; }

 private:
  std::string followed(std::string path, bool last) const;
  void note_name(std::uint32_t file, const std::string& name);

  std::map<std::string, std::uint32_t> files_;
  std::map<std::string, std::string> soft_links_;
  std::vector<std::vector<std::string>> names_;
};

}  // namespace weir::semantics::detail
