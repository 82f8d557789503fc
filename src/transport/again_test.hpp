#pragma once

#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

// For tests only: another process, which runs one test of this same program. Such tests are named
// DISABLED_..., take their orders from standard input and report on standard output, line by line. Not a
// fork: UCX does not survive one.
namespace weir::transport {

class Again {
 public:
  explicit Again(const std::string& test, std::vector<std::pair<std::string, std::string>> environment = {}) {
    int in[2], out[2];
    if (::pipe(in) != 0 || ::pipe(out) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      ::close_range(3, ~0U, 0);
      for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
      const std::string filter = "--gtest_filter=" + test;
      ::execl("/proc/self/exe", "again", filter.c_str(), "--gtest_also_run_disabled_tests", "--gtest_brief=1",
              nullptr);
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    to_ = ::fdopen(in[1], "w");
    from_ = ::fdopen(out[0], "r");
  }
  Again(const Again&) = delete;
  Again& operator=(const Again&) = delete;
  ~Again() {
    if (pid_ > 0) kill();
    std::fclose(to_);
    std::fclose(from_);
  }

  void say(const std::string& line) {
    std::fprintf(to_, "%s\n", line.c_str());
    std::fflush(to_);
  }
  // The next line that begins with "> ", without that; empty at the end.
  std::string hear() {
    char* line = nullptr;
    std::size_t room = 0;
    std::string heard;
    while (::getline(&line, &room, from_) > 0) {
      if (std::string(line).rfind("> ", 0) != 0) continue;
      heard = std::string(line).substr(2);
      heard.pop_back();
      break;
    }
    std::free(line);
    return heard;
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

// In the other process.
inline std::string hear_order() {
  char line[4096];
  if (std::fgets(line, sizeof line, stdin) == nullptr) return {};
  std::string heard = line;
  if (!heard.empty() && heard.back() == '\n') heard.pop_back();
  return heard;
}
inline void report(const std::string& line) {
  std::printf("> %s\n", line.c_str());
  std::fflush(stdout);
}

}  // namespace weir::transport
