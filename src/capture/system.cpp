#include "capture/system.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir::capture {
namespace {

void take_back_signal() {
  const std::uint64_t signals = std::uint64_t{1} << (SIGXFSZ - 1);
  const timespec at_once{};
  syscall(SYS_rt_sigtimedwait, &signals, nullptr, &at_once, sizeof signals);
}

}  // namespace

char* put_text(char* at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}
char* put_number(char* at, std::uint64_t number, int base) {
  return std::to_chars(at, at + 20, number, base).ptr;
}

bool write_at(int fd, const void* bytes, std::size_t size, std::uint64_t at) {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const long written = syscall(SYS_pwrite64, fd, from, size, at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EFBIG) take_back_signal();
    if (written <= 0) return false;
    from += written;
    size -= static_cast<std::size_t>(written);
    at += static_cast<std::uint64_t>(written);
  }
  return true;
}

bool reserve(int fd, std::size_t bytes) {
  if (syscall(SYS_fallocate, fd, 0, 0L, bytes) == 0) return true;
  if (errno == EFBIG) {
    take_back_signal();
    return false;
  }
  if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
  static constexpr char zeros[16 * 1024] = {};
  for (std::size_t at = 0; at < bytes; at += sizeof zeros)
    if (!write_at(fd, zeros, std::min(sizeof zeros, bytes - at), at)) return false;
  return true;
}

std::size_t name_of_descriptor(int descriptor, char* to) {
  char link[40];
  char* const end = put_number(put_text(link, "/proc/self/fd/"), static_cast<std::uint64_t>(descriptor));
  *end = '\0';
  const long found = syscall(SYS_readlinkat, AT_FDCWD, link, to, 4096L);
  return found > 0 ? static_cast<std::size_t>(found) : 0;
}

std::size_t normalize(char* name, std::size_t length) {
  std::size_t to = 0;
  for (std::size_t at = 0; at < length;) {
    std::size_t end = at + 1;  // name[at] is a slash
    while (end < length && name[end] != '/') ++end;
    const std::string_view part(name + at + 1, end - at - 1);
    if (part == "..") {
      while (to > 0 && name[--to] != '/') {
      }
    } else if (!part.empty() && part != ".") {
      std::memmove(name + to, name + at, end - at);
      to += end - at;
    }
    at = end;
  }
  if (to == 0) name[to++] = '/';
  return to;
}

}  // namespace weir::capture
