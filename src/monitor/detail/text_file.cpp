#include "monitor/detail/text_file.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace weir::monitor::detail {
namespace {
constexpr std::size_t kLargest = 16U << 20U;
}

void TextBuffer::append(std::string_view text) {
  if (bytes_.size() - used_ < text.size()) bytes_.resize(2 * (used_ + text.size()));
  std::ranges::copy(text, bytes_.begin() + static_cast<std::ptrdiff_t>(used_));
  used_ += text.size();
}

// Files of /proc end where a read gives nothing, not where it gives less than was asked for.
int TextBuffer::append_file(int fd) {
  for (off_t at = 0;;) {
    if (bytes_.size() - used_ < 4096) bytes_.resize(2 * bytes_.size());
    const ssize_t got = ::pread(fd, bytes_.data() + used_, bytes_.size() - used_, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;
    at += got;
    used_ += static_cast<std::size_t>(got);
    if (used_ > kLargest) return EFBIG;
  }
}

TextFile::TextFile(const std::vector<std::filesystem::path>& paths) {
  for (const auto& path : paths)
    parts_.push_back({.path = path, .name = path.filename().string(), .fd = UniqueFd()});
}

int TextFile::read_part(Part& part, TextBuffer& buffer) {
  if (!part.fd) part.fd.reset(::open(part.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!part.fd) return errno;
  const int failed = buffer.append_file(part.fd.get());
  if (failed != 0) part.fd.reset();
  return failed;
}

int TextFile::read(TextBuffer& buffer) {
  buffer.clear();
  if (parts_.size() == 1) return read_part(parts_.front(), buffer);
  int first_failure = 0;
  for (Part& part : parts_) {
    buffer.append(part.name);
    buffer.append(" ");
    const int failed = read_part(part, buffer);
    if (first_failure == 0) first_failure = failed;
    buffer.append("\n");
  }
  return first_failure;
}

}  // namespace weir::monitor::detail
