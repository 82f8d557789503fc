#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/preload.hpp"

extern char** environ;

namespace weir::launch {
namespace {

volatile std::sig_atomic_t running = 0;

extern "C" void pass_on(int signal) {
  if (running > 0) ::kill(running, signal);
}

// Signals that end a program: from the terminal they reach the program as well, so this process only waits;
// sent to this process alone they are passed on.
class SignalsFor {
 public:
  SignalsFor() {
    struct sigaction action {};
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_IGN;
    for (std::size_t i = 0; i < kFromTerminal.size(); ++i) sigaction(kFromTerminal[i], &action, &before_[i]);
    action.sa_handler = pass_on;
    for (std::size_t i = 0; i < kPassedOn.size(); ++i)
      sigaction(kPassedOn[i], &action, &before_[kFromTerminal.size() + i]);
  }
  ~SignalsFor() {
    for (std::size_t i = 0; i < kFromTerminal.size(); ++i) sigaction(kFromTerminal[i], &before_[i], nullptr);
    for (std::size_t i = 0; i < kPassedOn.size(); ++i)
      sigaction(kPassedOn[i], &before_[kFromTerminal.size() + i], nullptr);
  }
  SignalsFor(const SignalsFor&) = delete;
  SignalsFor& operator=(const SignalsFor&) = delete;

 private:
  static constexpr std::array kFromTerminal = {SIGINT, SIGQUIT};
  static constexpr std::array kPassedOn = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  std::array<struct sigaction, kFromTerminal.size() + kPassedOn.size()> before_{};
};

std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : variables)
      replaced =
          replaced || (text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=');
    if (!replaced) entries.emplace_back(text);
  }
  for (const auto& [name, value] : variables) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace

Result<int> run_program(const std::vector<std::string>& command, const Variables& variables) {
  std::vector<std::string> words = command;
  std::vector<std::string> entries = environment_with(variables);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(entries);

  // The program gets the signal actions this process had before it learnt manners.
  posix_spawnattr_t traits;
  posix_spawnattr_init(&traits);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2})
    sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&traits, &defaults);
  posix_spawnattr_setflags(&traits, POSIX_SPAWN_SETSIGDEF);

  const SignalsFor signals;
  pid_t child = -1;
  const int failed = posix_spawnp(&child, argv[0], nullptr, &traits, argv.data(), envp.data());
  posix_spawnattr_destroy(&traits);
  if (failed != 0) return Error::from_errno(failed, "cannot start").in(command.front());
  running = child;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace weir::launch
