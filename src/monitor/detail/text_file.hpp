#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.hpp"

namespace weir::monitor::detail {

// A place that texts are read into, again and again.
class TextBuffer {
 public:
  std::string_view text() const { return {bytes_.data(), used_}; }
  void clear() { used_ = 0; }
  void append(std::string_view text);
  // All that `fd` holds from its beginning, appended. 0 or an errno; EFBIG for more than 16 MiB.
  int append_file(int fd);

 private:
  std::vector<char> bytes_ = std::vector<char>(1U << 14U);
  std::size_t used_ = 0;
};

// A file, or several of one number each, kept open and read from the beginning each time.
class TextFile {
 public:
  explicit TextFile(const std::vector<std::filesystem::path>& paths);
  // Replaces the buffer's content: the text, or lines "FILE CONTENT" of several. 0 or an errno. What failed
  // is opened anew the next time.
  int read(TextBuffer& buffer);

 private:
  struct Part {
    std::filesystem::path path;
    std::string name;
    UniqueFd fd;
  };
  static int read_part(Part& part, TextBuffer& buffer);

  std::vector<Part> parts_;
};

}  // namespace weir::monitor::detail
