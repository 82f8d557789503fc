#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "workload/detail/files.hpp"
#include "workload/job.hpp"

// For the tests of this room.
namespace weir::workload::test {

inline constexpr Mode kModes[] = {
    Mode::initial_write, Mode::rewrite,          Mode::read,       Mode::reread,
    Mode::random_read,   Mode::random_write,     Mode::mixed,      Mode::fread,
    Mode::reverse_read,  Mode::stride_read,      Mode::fwrite,     Mode::pwrite,
    Mode::pread,         Mode::open_write_close, Mode::write_seek, Mode::aggregate_write};
inline constexpr Engine kEngines[] = {Engine::posix, Engine::stdio, Engine::mmap, Engine::uring};

// Runs f in a process of its own, which it may spoil; what f returns, or how the process died.
template <class F>
std::string in_child(F f) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  std::fflush(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) return "no process";
  if (pid == 0) {
    ::close(ends[0]);
    const std::string said = f();
    const bool told = ::write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  std::string said;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFSIGNALED(status)) said += " killed by signal " + std::to_string(WTERMSIG(status));
  return said;
}

// Names in a directory; a job must leave none behind.
inline std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.push_back(entry.path().filename().string());
  return names;
}

// What the kernel counted for this process. To look is itself counted, in the next look.
struct Traffic {
  std::uint64_t read = 0, written = 0;
  std::uint64_t looking = 0;
};
inline Traffic traffic() {
  Traffic traffic;
  std::ifstream in("/proc/self/io");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  traffic.looking = text.size();
  const auto number = [&](const char* name) -> std::uint64_t {
    const auto at = text.find(name);
    return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + std::strlen(name), nullptr, 10);
  };
  traffic.read = number("rchar:");
  traffic.written = number("wchar:");
  return traffic;
}

// A directory in memory where there is one: what is durable there is so at once.
class QuickDir {
 public:
  QuickDir() {
    std::string pattern =
        (::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path()) /
        std::filesystem::path("weir-test.XXXXXX");
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  QuickDir(const QuickDir&) = delete;
  QuickDir& operator=(const QuickDir&) = delete;
  ~QuickDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Whether io_uring may be used here; containers often forbid it.
bool has_uring();

}  // namespace weir::workload::test
