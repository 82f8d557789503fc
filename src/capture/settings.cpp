#include "capture/settings.hpp"

#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir::capture {
namespace {

// False when the value does not fit; what is cut short would mean something else.
bool copy(const char* variable, char* to, std::size_t room) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return false;
  const std::size_t length = std::strlen(value);
  if (length + 1 > room) return false;
  std::memcpy(to, value, length + 1);
  return length > 0;
}

// The length of the longest of the ':'-separated prefixes that `path` lies under, 0 for none.
std::size_t longest_prefix(std::string_view list, std::string_view path) {
  std::size_t longest = 0;
  while (!list.empty()) {
    std::string_view prefix = list.substr(0, list.find(':'));
    list.remove_prefix(prefix.size() < list.size() ? prefix.size() + 1 : list.size());
    while (prefix.size() > 1 && prefix.ends_with('/')) prefix.remove_suffix(1);
    if (prefix.empty() || !path.starts_with(prefix)) continue;
    if (prefix != "/" && path.size() > prefix.size() && path[prefix.size()] != '/') continue;
    if (prefix.size() > longest) longest = prefix.size();
  }
  return longest;
}

bool names(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(one.size() < list.size() ? one.size() + 1 : list.size());
    if (one == wanted) return true;
  }
  return false;
}

// Whether this process runs one of the programs that are not to be recorded.
bool runs_one_of(const char* programs) {
  if (programs == nullptr) return false;
  char path[4096];
  const long length = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path);
  if (length <= 0) return false;
  std::string_view program(path, static_cast<std::size_t>(length));
  program.remove_prefix(program.rfind('/') + 1);  // npos + 1 is 0
  return names(programs, program);
}

}  // namespace

bool Settings::read() {
  if (!copy(kDirectoryVariable, directory_, sizeof directory_) || directory_[0] != '/') return false;
  if (runs_one_of(std::getenv(kNotInVariable))) return false;
  copy(kIncludeVariable, include_, sizeof include_);
  copy(kExcludeVariable, exclude_, sizeof exclude_);
  copy(kMergeVariable, merging_, sizeof merging_);
  const char* const layers = std::getenv(kLayersVariable);
  for (std::size_t i = 0; i < kLayerCount; ++i)
    layers_[i] = layers == nullptr || *layers == '\0' || names(layers, name(static_cast<Layer>(i)));
  const char* const timing = std::getenv(kTimingVariable);
  timed_ = timing == nullptr || std::strcmp(timing, "off") != 0;
  if (const char* const memory = std::getenv(kMemoryVariable))
    if (const unsigned long long bytes = std::strtoull(memory, nullptr, 10); bytes > 0) memory_ = bytes;
  return true;
}

bool Settings::wants(std::string_view path) const {
  const std::size_t out = longest_prefix(exclude_, path);
  const std::size_t in = longest_prefix(include_, path);
  if (include_[0] != '\0' && in == 0) return false;
  return in >= out;
}

}  // namespace weir::capture
