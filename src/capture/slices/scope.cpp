#include "capture/slices/scope.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir::capture {
namespace {

constinit std::atomic<int> decided{0};

const char* directories() { return std::getenv("WEIR_SLICES_UNDER"); }

bool is_below(std::string_view path, std::string_view directory) {
  while (directory.size() > 1 && directory.ends_with('/')) directory.remove_suffix(1);
  return !directory.empty() && path.starts_with(directory) &&
         (path.size() == directory.size() || directory == "/" || path[directory.size()] == '/');
}

bool below_one(std::string_view path) {
  const char* const list = directories();
  if (list == nullptr) return true;
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    if (is_below(path, rest.substr(0, end))) return true;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return false;
}

// Where the kernel says that it leads. A system call of its own: libraries in between may tell other names.
std::size_t link_of(int fd, char* into, std::size_t room) {
  char link[40];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const long got = ::syscall(SYS_readlinkat, AT_FDCWD, link, into, room);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

// The name without "." and "..", without looking at what is there.
std::size_t clean(const char* path, std::size_t length, char* into) {
  std::size_t made = 0;
  for (std::size_t at = 0; at < length;) {
    while (at < length && path[at] == '/') ++at;
    std::size_t end = at;
    while (end < length && path[end] != '/') ++end;
    const std::string_view part(path + at, end - at);
    at = end;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      while (made > 0 && into[--made] != '/') {
      }
      continue;
    }
    into[made++] = '/';
    std::memcpy(into + made, part.data(), part.size());
    made += part.size();
  }
  if (made == 0) into[made++] = '/';
  return made;
}

}  // namespace

int SliceScope::state() {
  int now = decided.load(std::memory_order_relaxed);
  if (now == kUnknown) [[unlikely]] {
    const char* const list = directories();
    now = list == nullptr || *list == '\0' ? kEverything : kSome;
    decided.store(now, std::memory_order_relaxed);
  }
  return now;
}

bool SliceScope::holds(int fd) {
  if (everything()) return true;
  if (fd < 0) return false;
  char name[PATH_MAX];
  const std::size_t length = link_of(fd, name, sizeof name);
  return length > 0 && name[0] == '/' && below_one({name, length});
}

bool SliceScope::holds(int at, const char* path) {
  if (everything()) return true;
  if (path == nullptr) return false;
  char whole[2 * PATH_MAX];
  const std::size_t length = ::strnlen(path, PATH_MAX);
  std::size_t used = 0;
  if (length == 0 || path[0] != '/') {
    const long got = at == AT_FDCWD ? ::syscall(SYS_getcwd, whole, PATH_MAX - 1)
                                    : static_cast<long>(link_of(at, whole, PATH_MAX - 1));
    if (got <= 0) return false;
    used = ::strnlen(whole, static_cast<std::size_t>(got));
    whole[used++] = '/';
  }
  std::memcpy(whole + used, path, length);
  used += length;
  char name[2 * PATH_MAX + 1];
  return below_one({name, clean(whole, used, name)});
}

}  // namespace weir::capture
