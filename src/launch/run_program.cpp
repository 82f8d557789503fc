#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "launch/passed_on.hpp"
#include "launch/preload.hpp"

extern char** environ;

namespace weir::launch {
namespace {

volatile std::sig_atomic_t running = 0;
volatile std::sig_atomic_t asked_to_stop = 0;

extern "C" void pass_on(int signal) {
  if (running > 0) ::kill(running, signal);
}

extern "C" void note(int) { asked_to_stop = 1; }

// Signals that end a program: from the terminal they reach the program as well, so this process only notes
// them; sent to this process alone they are passed on. Those that are ignored stay so.
class SignalsFor {
 public:
  SignalsFor() {
    asked_to_stop = 0;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction action {};
      sigemptyset(&action.sa_mask);
      action.sa_handler = i < kFromTerminal ? note : pass_on;
      sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
    }
  }
  ~SignalsFor() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  SignalsFor(const SignalsFor&) = delete;
  SignalsFor& operator=(const SignalsFor&) = delete;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  static constexpr std::size_t kFromTerminal = 2;  // the first of them
  std::array<struct sigaction, kSignals.size()> before_{};
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

// They are opened here: what fails is this process's failure, and says which file it was.
class OpenStreams {
 public:
  OpenStreams() { posix_spawn_file_actions_init(&actions_); }
  ~OpenStreams() { posix_spawn_file_actions_destroy(&actions_); }
  OpenStreams(const OpenStreams&) = delete;
  OpenStreams& operator=(const OpenStreams&) = delete;

  Result<void> open(const Streams& streams) {
    constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
    if (auto good = one(STDIN_FILENO, streams.input, O_RDONLY); !good) return good;
    if (auto good = one(STDOUT_FILENO, streams.output, kNew); !good) return good;
    return one(STDERR_FILENO, streams.errors, kNew);
  }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  Result<void> one(int number, const std::filesystem::path& file, int flags) {
    if (file.empty()) return {};
    auto opened = open_file(file, flags);
    if (!opened) return opened.error();
    posix_spawn_file_actions_adddup2(&actions_, opened->get(), number);
    files_[static_cast<std::size_t>(number)] = *std::move(opened);
    return {};
  }

  posix_spawn_file_actions_t actions_{};
  std::array<UniqueFd, 3> files_;
};

}  // namespace

Result<int> run_program(const std::vector<std::string>& command, const Variables& variables,
                        const Streams& streams) {
  OpenStreams opened;
  if (const auto good = opened.open(streams); !good) return good.error();
  std::vector<std::string> words = passed_on(command, variables);
  std::vector<std::string> entries = environment_with(variables);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(entries);

  // The program gets the signal actions this process had before it learnt manners.
  posix_spawnattr_t traits;
  posix_spawnattr_init(&traits);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2})
    if (!is_ignored(signal)) sigaddset(&defaults, signal);
  if (!pipe_signal_was_ignored()) sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&traits, &defaults);
  posix_spawnattr_setflags(&traits, POSIX_SPAWN_SETSIGDEF);

  const SignalsFor signals;
  pid_t child = -1;
  const int failed = posix_spawnp(&child, argv[0], opened.actions(), &traits, argv.data(), envp.data());
  posix_spawnattr_destroy(&traits);
  if (failed != 0) return Error::from_errno(failed, "cannot start").in(command.front());
  running = child;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool interrupted_meanwhile() { return asked_to_stop != 0; }

}  // namespace weir::launch
