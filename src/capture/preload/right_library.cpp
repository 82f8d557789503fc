#include <cstring>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/settings.hpp"
#include "capture/system.hpp"
#include "intercept/real.hpp"

// There is a recorder for each MPI, and only the program itself knows which one it is linked against: a
// script may start it, or a launcher of another. To pass the calls of one MPI through shims made for another
// would be its end, as handles are numbers here and addresses there. So a process that finds itself with the
// wrong recorder begins again with the right one, before anything of the program has run.
namespace weir::capture {
namespace {

constexpr std::string_view kPreload = "LD_PRELOAD=";
constexpr std::string_view kBegin = "/libweir-capture-";
constexpr std::string_view kEnd = ".so";
constexpr std::size_t kLongest = 4096;

const void* object_of(void* address) {
  Dl_info about{};
  return dladdr(address, &about) != 0 ? about.dli_fbase : nullptr;
}

// As our libraries are named after it; empty where the program is linked against none.
std::string_view mpi_of_program() {
  if (!is_loaded("libmpi")) return {};
  void* const begins = search_real("PMPI_Init");  // MPI_Init may be that of another tool
  if (begins == nullptr) return {};
  void* const of_open_mpi = search_real("ompi_mpi_comm_world");
  return of_open_mpi != nullptr && object_of(of_open_mpi) == object_of(begins) ? "openmpi" : "mpich";
}

std::string_view own_file() {
  Dl_info about{};
  if (dladdr(reinterpret_cast<const void*>(&mpi_of_program), &about) == 0 || about.dli_fname == nullptr)
    return {};
  return about.dli_fname;
}

// The file beside ours that is for this MPI; empty when ours is, or there is none.
std::string_view right_file(std::string_view own, std::string_view mpi, char (&path)[kLongest]) {
  const std::size_t begin = own.rfind(kBegin);
  if (begin == std::string_view::npos || !own.ends_with(kEnd) || own.size() + mpi.size() >= kLongest)
    return {};
  const std::string_view before = own.substr(0, begin + kBegin.size());
  if (own.substr(before.size(), own.size() - before.size() - kEnd.size()) == mpi) return {};
  char* const end = put_text(put_text(put_text(path, before), mpi), kEnd);
  *end = '\0';
  if (syscall(SYS_faccessat, AT_FDCWD, path, R_OK) != 0) return {};
  return {path, static_cast<std::size_t>(end - path)};
}

const char* find_variable(char** environment, std::string_view name) {
  for (char** one = environment; *one != nullptr; ++one) {
    const std::string_view text = *one;
    if (text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=')
      return *one + name.size() + 1;
  }
  return nullptr;
}

// Returns when it cannot be done; the program then runs as it was.
void begin_again(char** argv, char** environment, std::string_view own, std::string_view right) {
  char program[kLongest];
  const long length = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return;
  program[length] = '\0';
  std::size_t count = 0;
  while (environment[count] != nullptr) ++count;
  auto** const changed = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));
  bool has_changed = false;
  for (std::size_t i = 0; i < count; ++i) {
    changed[i] = environment[i];
    const std::string_view text = environment[i];
    const std::size_t at = text.starts_with(kPreload) ? text.find(own) : std::string_view::npos;
    if (at == std::string_view::npos) continue;
    changed[i] = static_cast<char*>(__builtin_alloca(text.size() + right.size() + 1));
    *put_text(put_text(put_text(changed[i], text.substr(0, at)), right), text.substr(at + own.size())) = '\0';
    has_changed = true;
  }
  changed[count] = nullptr;
  if (has_changed) syscall(SYS_execve, program, argv, changed);
}

[[gnu::constructor(101)]] void take_the_right_library(int /*argc*/, char** argv, char** environment) {
  if (environment == nullptr || find_variable(environment, kDirectoryVariable) == nullptr) return;
  const char* const wanted = find_variable(environment, kMpiVariable);
  if (wanted != nullptr && std::strcmp(wanted, "none") == 0) return;
  const std::string_view mpi = mpi_of_program();
  if (mpi.empty()) return;
  const std::string_view own = own_file();
  char path[kLongest];
  const std::string_view right = right_file(own, mpi, path);
  if (!right.empty()) begin_again(argv, environment, own, right);
}

}  // namespace
}  // namespace weir::capture
