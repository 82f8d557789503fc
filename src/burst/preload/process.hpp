#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include <sys/types.h>

#include "burst/client/file_system.hpp"
#include "intercept/child_environment.hpp"

namespace weir::burst::preload {

// What all threads of the process share: the connection, made when it is first needed, and what happens when
// processes are made and end. Never destroyed: a program's exit handlers still do I/O.
class Process {
 public:
  static Process& current();

  // While the library is loaded: reads the environment and finds the descriptors that were handed on.
  void start();
  // Null when the servers cannot be reached; tried again by the next call.
  FileSystem* system();
  // For a child of vfork on its way to exec, which may have closed its parent's connection for itself: a new
  // one. It is never freed: such children make few calls and then become another program.
  FileSystem* system_of_child();
  const Job* job();  // null when it cannot be read

  // Around fork.
  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();
  // Before another program may get at the open files: exec, posix_spawn, vfork.
  void before_handing_on();
  // vfork is about to be called by this thread.
  void before_vfork();
  // Whether this is a child that runs in its parent's memory: descriptors are its own, the table is not.
  static bool is_vfork_child();
  // Own writes become visible, and what was changed in mappings.
  void publish_all();
  // Own writes become visible, as if every file were closed. Later ones do at once.
  void end();
  bool is_ending() const { return ending_.load(std::memory_order_relaxed); }

  // Which file this descriptor is a placeholder of, by the name of what is open.
  std::optional<FileId> placeholder_of(int fd) const;
  // A descriptor of Weir's own in this process.
  bool owns(int fd);

  // What programs that this one starts must find to be followed.
  const ChildEnvironment& child_environment() const { return child_environment_; }

  // An empty file that stands for an open one; -1 and errno.
  int make_placeholder(FileId file, int flags);

 private:
  void adopt_descriptors();
  static FileSystem* connect(const Job& job);

  std::mutex mutex_;  // guards the connection while it is made
  std::optional<Job> job_;
  std::atomic<FileSystem*> system_{nullptr};
  std::string folder_;  // of placeholders, with a slash at the end
  std::atomic<bool> ending_{false};
  ChildEnvironment child_environment_{{.library = "libweir-burst",
                                       .settings = {"WEIR_JOB=", "WEIR_SERVER=", "WEIR_BURST_"},
                                       .needed = kJobVariable,
                                       .goes_last = true}};
};

}  // namespace weir::burst::preload
