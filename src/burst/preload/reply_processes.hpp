#pragma once

#include <fcntl.h>
#include <spawn.h>

#include "burst/preload/names.hpp"
#include "burst/preload/process.hpp"
#include "burst/preload/reply.hpp"
#include "intercept/start_program.hpp"

// Calls that make, replace and end processes. fork() and what is made of it are followed by pthread_atfork.
namespace weir::burst::preload {

inline void before_starting(int directory, const char* program) {
  if (!Mount::current().is_on()) return;
  if (program != nullptr) names::before_executing(directory, program);
  if (!Process::is_vfork_child()) Process::current().before_handing_on();
}

// Whatever environment it is given: what this library needs is added.
template <Call C, class Signature, class... Args>
[[gnu::always_inline]] inline auto start_followed(RealCall<C, Signature> real, Args... args) {
  return start_program<C>(Process::current().child_environment(), real, args...);
}

template <>
struct Reply<Call::_Fork> {
  static pid_t run(auto real) {
    Process::current().before_fork();
    const pid_t child = real();
    if (child == 0)
      Process::current().after_fork_in_child();
    else
      Process::current().after_fork_in_parent();
    return child;
  }
};

struct ExecReply {
  template <class... Rest>
  static int run(auto real, const char* path, Rest... rest) {
    before_starting(AT_FDCWD, path);
    return start_followed(real, path, rest...);
  }
};
// A name without a slash is looked for in PATH.
struct ExecByNameReply {
  template <class... Rest>
  static int run(auto real, const char* name, Rest... rest) {
    before_starting(AT_FDCWD, name != nullptr && std::strchr(name, '/') != nullptr ? name : nullptr);
    return start_followed(real, name, rest...);
  }
};
template <>
struct Reply<Call::execve> : ExecReply {};
template <>
struct Reply<Call::execv> : ExecReply {};
template <>
struct Reply<Call::execl> : ExecReply {};
template <>
struct Reply<Call::execle> : ExecReply {};
template <>
struct Reply<Call::execvp> : ExecByNameReply {};
template <>
struct Reply<Call::execvpe> : ExecByNameReply {};
template <>
struct Reply<Call::execlp> : ExecByNameReply {};
template <>
struct Reply<Call::execveat> {
  static int run(auto real, int directory, const char* path, char* const* argv, char* const* envp,
                 int flags) {
    before_starting(directory, path);
    return start_followed(real, directory, path, argv, envp, flags);
  }
};
template <>
struct Reply<Call::fexecve> {
  static int run(auto real, int fd, char* const* argv, char* const* envp) {
    before_starting(AT_FDCWD, nullptr);
    return start_followed(real, fd, argv, envp);
  }
};
template <>
struct Reply<Call::posix_spawn> {
  template <class... Rest>
  static int run(auto real, pid_t* child, const char* path, Rest... rest) {
    before_starting(AT_FDCWD, path);
    return start_followed(real, child, path, rest...);
  }
};
template <>
struct Reply<Call::posix_spawnp> {
  template <class... Rest>
  static int run(auto real, pid_t* child, const char* name, Rest... rest) {
    before_starting(AT_FDCWD, name != nullptr && std::strchr(name, '/') != nullptr ? name : nullptr);
    return start_followed(real, child, name, rest...);
  }
};
template <>
struct Reply<Call::system> {
  static int run(auto real, const char* command) {
    before_starting(AT_FDCWD, nullptr);
    return real(command);
  }
};
template <>
struct Reply<Call::popen> {
  static FILE* run(auto real, const char* command, const char* mode) {
    before_starting(AT_FDCWD, nullptr);
    return real(command, mode);
  }
};

// Without exit's ways of ending, the kernel would close what is open: so is it here. exit() is followed by
// the library's own end.
struct EndReply {
  static void run(auto real, int code) {
    if (!Process::is_vfork_child()) Process::current().publish_all();
    real(code);
  }
};
template <>
struct Reply<Call::_exit> : EndReply {};
template <>
struct Reply<Call::_Exit> : EndReply {};
template <>
struct Reply<Call::quick_exit> : EndReply {};

}  // namespace weir::burst::preload
