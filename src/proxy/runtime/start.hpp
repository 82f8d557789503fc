#pragma once

#include "proxy/runtime/run.hpp"

namespace weir_proxy {

inline void make_directories(const std::string& path) {
  for (std::size_t at = 1; at != std::string::npos;) {
    at = path.find('/', at);
    const std::string part = path.substr(0, at);
    syscall(SYS_mkdirat, AT_FDCWD, part.c_str(), 0777);
    if (at != std::string::npos) ++at;
  }
}

inline void make_file(const Need& need, const std::string& path) {
  const long fd = syscall(SYS_openat, AT_FDCWD, path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) stop("cannot make " + path + ": " + std::strerror(errno));
  struct stat seen {};
  syscall(SYS_newfstatat, fd, "", &seen, AT_EMPTY_PATH);
  if (seen.st_size < need.size) syscall(SYS_ftruncate, fd, need.size);
  i64 begin = 0;
  for (std::size_t i = 0; i < need.lines; ++i) {
    std::string line(static_cast<std::size_t>(need.line_ends[i] - begin), 'x');
    line += '\n';
    syscall(SYS_pwrite64, fd, line.data(), line.size(), begin);
    begin = need.line_ends[i] + 1;
  }
  syscall(SYS_close, fd);
}

// What the recorded program found when it began. All ranks may do it at once.
inline void make_needs() {
  for (int i = 0; i < world.plan->need_count; ++i) {
    const Need& need = world.plan->needs[i];
    if (stays_where_it_is(need.path)) continue;
    const std::string path = world.options.root + need.path;
    if (need.kind == Need::directory) {
      make_directories(path);
      continue;
    }
    make_directories(path.substr(0, path.rfind('/')));
    if (need.kind == Need::file)
      make_file(need, path);
    else
      syscall(SYS_symlinkat, std::string(static_cast<std::size_t>(need.size), 'x').c_str(), AT_FDCWD,
              path.c_str());
  }
}

inline const char* first_of(std::initializer_list<const char*> variables) {
  for (const char* const name : variables)
    if (const char* const value = std::getenv(name)) return value;
  return nullptr;
}

// The run that all processes of a job belong to.
inline std::string job() {
  const char* const name =
      first_of({"PMIX_NAMESPACE", "PMI_ID_JOB", "OMPI_MCA_ess_base_jobid", "SLURM_JOB_ID", "PMI_FD"});
  if (name != nullptr && std::strcmp(name, "") != 0 && std::getenv("PMI_FD") == nullptr) return name;
  return "parent " + std::to_string(syscall(SYS_getppid));
}

// The root must be new: what an earlier run left there would change how calls end. The mark says whose it is.
inline void take_root() {
  char here[4096] = {};
  if (world.options.root.empty() || world.options.root.front() != '/') {
    syscall(SYS_getcwd, here, sizeof here);
    world.options.root = std::string(here) + "/" + world.options.root;
  }
  while (world.options.root.size() > 1 && world.options.root.back() == '/') world.options.root.pop_back();
  make_directories(world.options.root);
  const std::string mark = world.options.root + "/.weir-proxy";
  const std::string own = job() + "\n";
  const long made =
      syscall(SYS_openat, AT_FDCWD, mark.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (made >= 0) {
    syscall(SYS_write, made, own.data(), own.size());
    syscall(SYS_close, made);
    return;
  }
  char found[256] = {};
  for (int tries = 0; tries < 1000 && found[0] == '\0'; ++tries) {
    const long fd = syscall(SYS_openat, AT_FDCWD, mark.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) stop("cannot use " + world.options.root + ": " + std::strerror(errno));
    syscall(SYS_read, fd, found, sizeof found - 1);
    syscall(SYS_close, fd);
    if (found[0] == '\0') pause_a_moment();
  }
  if (own != found)
    stop(world.options.root +
         " is left from an earlier run; remove it, or give another directory with --root");
}

inline void make_memory() {
  world.source = reserve_most();
  world.sink = reserve_most();
  world.windows = reserve_most();
  if (world.source == nullptr || world.sink == nullptr || world.windows == nullptr)
    stop("there is no memory for buffers");
  // Not zeros: file systems store those for nothing.
  std::uint64_t state = 0x9E3779B97F4A7C15U;
  for (i64 at = 0; at + 8 <= world.plan->filled; at += 8) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::memcpy(world.source + at, &state, sizeof state);
  }
}

constexpr const char* kUsage =
    "Makes the calls of a recorded program again, on files under a directory of its own.\n"
    "  --root DIR            where its files are made (proxy.root); must be new\n"
    "  --original            on the original files, by their own names\n"
    "  --think-time[=F]      pause between calls as the program did, F times as long (1)\n"
    "  --output              show what is printed; else it goes to /dev/null\n"
    "Exit status: 0 every call ended as recorded, 1 some did not, 2 it could not begin.\n";

inline void take_options(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--root" && i + 1 < argc) {
      world.options.root = argv[++i];
    } else if (word == "--original") {
      world.options.original = true;
    } else if (word == "--output") {
      world.options.output = true;
    } else if (word.rfind("--think-time", 0) == 0) {
      world.options.think = word.size() > 13 ? std::strtod(word.c_str() + 13, nullptr) : 1;
    } else {
      const bool asked = word == "--help" || word == "-h";
      if (!asked) say("proxy: '" + word + "' is not known\n");
      say(kUsage);
      syscall(SYS_exit_group, asked ? 0 : 2);
    }
  }
}

// Standard output and error of the recorded program lead nowhere, and the report to where they led.
inline void hide_output() {
  const long kept = syscall(SYS_fcntl, 2, F_DUPFD_CLOEXEC, 900);
  if (kept >= 0) world.report_to = static_cast<int>(kept);
  if (world.options.output) return;
  const long nowhere = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) return;
  syscall(SYS_dup3, nowhere, 1, 0);
  syscall(SYS_dup3, nowhere, 2, 0);
  syscall(SYS_close, nowhere);
}

inline const ProcessPlan& own_process(const Plan& plan) {
  if (plan.processes[0].rank < 0) return plan.processes[0];
  const char* const rank = first_of({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"});
  const char* const size = first_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"});
  world.rank = rank != nullptr ? std::strtoll(rank, nullptr, 10) : 0;
  const i64 ranks = size != nullptr ? std::strtoll(size, nullptr, 10) : 1;
  if (ranks != plan.processes[0].world_size)
    stop("recorded with " + std::to_string(plan.processes[0].world_size) + " ranks, started with " +
         std::to_string(ranks) + "; start it with mpirun -n " + std::to_string(plan.processes[0].world_size));
  for (int i = 0; i < plan.process_count; ++i)
    if (plan.processes[i].rank == world.rank) return plan.processes[i];
  stop("nothing was recorded of rank " + std::to_string(world.rank));
}

// Everything before the first call of the program.
inline const ProcessPlan& prepare(const Plan& plan) {
  world.plan = &plan;
  const ProcessPlan& process = own_process(plan);
  world.outside = process.rank >= 0;
  hide_output();
  world.shared.resize(static_cast<std::size_t>(plan.shared_handles));
  make_memory();
  std::string directory = process.directory;
  if (!world.options.original) {
    take_root();
    make_needs();
    for (const char c : directory) world.depth += c == '/' && directory.size() > 1 ? 1 : 0;
    directory = world.options.root + directory;
    make_directories(directory);
  }
  if (syscall(SYS_chdir, directory.c_str()) != 0)
    stop("cannot work in " + directory + ": " + std::strerror(errno));
  return process;
}

inline int run(const Plan& plan, int argc, char** argv) {
  world.options.root = "proxy.root";
  take_options(argc, argv);
  return run_process(prepare(plan));
}

}  // namespace weir_proxy
