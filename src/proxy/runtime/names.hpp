#pragma once

#include "proxy/runtime/world.hpp"

namespace weir_proxy {

// Kernel's files are what they are: there are no others to put in their place.
inline bool stays_where_it_is(const std::string& path) {
  const auto under = [&](const char* folder) { return path.rfind(folder, 0) == 0; };
  return under("/proc/") || under("/sys/") || (under("/dev/") && !under("/dev/shm/"));
}

// Whether a file tells of the machine and not of the program's data.
inline bool tells_of_machine(const char* path) {
  return std::strncmp(path, "/proc/", 6) == 0 || std::strncmp(path, "/sys/", 5) == 0;
}

// Calls on the kernel's files are not made: they tell of the machine. Nor are those that libraries make for
// themselves when they are loaded and unloaded, since the proxy's do so too: of what comes before MPI_Init
// and after MPI_Finalize only what concerns files that are really there is the program's.
inline bool Stream::passes(bool failed, const i64* used, std::size_t used_count, const char* const* paths,
                           std::size_t path_count) {
  bool own_file = false;
  for (std::size_t i = 0; i < used_count; ++i) {
    if (handle(used[i]).left_out) return false;
    own_file = own_file || handle(used[i]).own;
  }
  for (std::size_t i = 0; i < path_count; ++i) {
    if (tells_of_machine(paths[i])) return false;
    own_file = own_file || !failed;
  }
  return own_file || !world.outside.load(std::memory_order_relaxed);
}

// How many directories a relative name climbs above where it starts.
inline int climbs(const std::string& path) {
  int depth = 0;
  int lowest = 0;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string part = path.substr(at, end - at);
    if (part == "..")
      lowest = std::min(lowest, --depth);
    else if (!part.empty() && part != ".")
      ++depth;
    at = end + 1;
  }
  return -lowest;
}

// A name of the recorded program under the root. Relative names are as they were, since the proxy works in
// the same directory below the root; those that climb to the file system's root stay inside.
inline void put_under_root(std::string& path) {
  if (world.options.original || path.empty()) return;
  if (path.front() == '/') {
    if (!stays_where_it_is(path)) path.insert(0, world.options.root);
  } else if (climbs(path) > world.depth) {
    std::string kept;  // what is left of it below the root
    for (std::size_t at = 0; at < path.size();) {
      const std::size_t end = std::min(path.find('/', at), path.size());
      const std::string part = path.substr(at, end - at);
      if (part == "..")
        kept.erase(kept.empty() ? 0 : kept.rfind('/'));
      else if (!part.empty() && part != ".")
        kept += "/" + part;
      at = end + 1;
    }
    path = world.options.root + kept;
  }
}

// Byte 1 and a width stand for a number, byte 2 for the process's number, byte 3 before a byte that is meant.
inline void expand(const char* bytes, std::size_t length, const i64* numbers, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < length; ++i) {
    if (bytes[i] == 1 && i + 1 < length) {
      const int width = bytes[++i] - '0';
      std::string digits = std::to_string(static_cast<std::uint64_t>(*numbers++));
      if (static_cast<int>(digits.size()) < width)
        digits.insert(0, static_cast<std::size_t>(width) - digits.size(), '0');
      out += digits;
    } else if (bytes[i] == 2) {
      out += std::to_string(syscall(SYS_getpid));
    } else {
      if (bytes[i] == 3 && i + 1 < length) ++i;
      out += bytes[i];
    }
  }
}

inline const char* Stream::name_with(int argument, int name_template, const i64* values, int count) {
  Kept& now = kept[kept_count];
  now.name_template = name_template;
  for (int k = 0; k < kNumbers; ++k) now.values[k] = k < count ? values[k] : 0;
  if (count > 0) ++kept_count;
  std::string& made_name = names[argument];
  const auto at = static_cast<std::size_t>(name_template);
  expand(world.plan->templates[at], world.plan->template_lengths[at], now.values, made_name);
  put_under_root(made_name);
  return made_name.c_str();
}

inline const char* Stream::name_of(int argument, int name_template, std::initializer_list<i64> values) {
  return name_with(argument, name_template, values.begin(), static_cast<int>(values.size()));
}

inline const char* Stream::name(int argument, int name_template, std::initializer_list<i64> differences) {
  const auto& last = numbers[static_cast<std::size_t>(name_template)];
  i64 values[kNumbers] = {};
  int k = 0;
  for (const i64 difference : differences) {
    values[k] = last[static_cast<std::size_t>(k)] + difference;
    ++k;
  }
  return name_with(argument, name_template, values, k);
}

inline void Stream::pass_name(int name_template, std::initializer_list<i64> differences) {
  auto& last = numbers[static_cast<std::size_t>(name_template)];
  std::size_t k = 0;
  for (const i64 difference : differences) last[k++] += difference;
}

// What mkstemp() and its like are given: the end of the recorded name is what they made up.
inline char* to_be_made(const char* name, i64 suffix) {
  char* const pattern = const_cast<char*>(name);
  const std::size_t length = std::strlen(pattern);
  if (length >= 6 + static_cast<std::size_t>(suffix)) std::memset(pattern + length - 6 - suffix, 'X', 6);
  return pattern;
}

// The file gets the name that the recorded program goes on with.
inline void rename_quietly(const std::string& from, const std::string& to) {
  if (from != to) syscall(SYS_renameat, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str());
}

}  // namespace weir_proxy
