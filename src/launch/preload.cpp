#include "launch/preload.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/own_files.hpp"
#include "launch/libraries.hpp"
#include "launch/process.hpp"

namespace weir::launch {
namespace {

namespace fs = std::filesystem;

Result<fs::path> locate(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    if (::access(program.c_str(), X_OK) == 0) return fs::path(program);
    return Error::from_errno(errno, "cannot be run").in(program);
  }
  if (const auto found = find_program(program)) return *found;
  return Error{Errc::not_found, "no such program in PATH"}.in(program);
}

Error lacking(const fs::path& program, std::string why, std::string_view remedy) {
  return Error{Errc::lacking, std::move(why)}.in(program.string()).with_remedy(remedy);
}

#if defined(__x86_64__)
constexpr auto kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr auto kMachine = EM_AARCH64;
#endif

}  // namespace

Result<fs::path> find_preload_library(std::string_view name) {
  return find_own_file(fmt::format("lib{}.so", name));
}

Result<void> check_preloadable(const std::string& program) {
  fs::path path;
  std::string next = program;
  // A script is run by its interpreter, which may be a script again.
  for (int depth = 0; depth < 4; ++depth) {
    const auto found = locate(next);
    if (!found) return found.error();
    path = *found;
    std::ifstream in(path, std::ios::binary);
    char first[256] = {};
    in.read(first, sizeof first - 1);
    if (first[0] != '#' || first[1] != '!') break;
    const std::string_view line(first + 2, std::strcspn(first + 2, "\n"));
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) break;
    next = line.substr(begin, line.find_first_of(" \t", begin) - begin);
  }
  struct stat seen {};
  if (stat(path.c_str(), &seen) != 0) return Error::from_errno(errno, "cannot look at it").in(path.string());
  const bool other_user = (seen.st_mode & S_ISUID) != 0 && seen.st_uid != geteuid();
  const bool other_group = (seen.st_mode & S_ISGID) != 0 && seen.st_gid != getegid();
  if (other_user || other_group)
    return lacking(
        path, "runs with another user's rights (setuid or setgid), where the loader takes no library of ours",
        "trace it as that user, or a copy without the bit");
  std::ifstream in(path, std::ios::binary);
  Elf64_Ehdr head{};
  if (!in.read(reinterpret_cast<char*>(&head), sizeof head) ||
      std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
    return {};  // nothing we know: the system will say what it thinks of it
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != kMachine)
    return lacking(path, "is built for another processor than Weir", "use a Weir built for it");
  if (loader_of(path).empty())
    return lacking(path, "is statically linked: no library can be put before its calls",
                   "link it dynamically (without -static)");
  return {};
}

Variables with_preload(Variables variables, const std::vector<fs::path>& libraries) {
  std::string list;
  for (const fs::path& library : libraries) list += (list.empty() ? "" : ":") + library.string();
  const char* const before = std::getenv("LD_PRELOAD");
  if (before != nullptr && *before != '\0') list += std::string(":") + before;
  variables.emplace_back("LD_PRELOAD", list);
  return variables;
}

Variables with_preload_last(Variables variables, const fs::path& library) {
  const char* const before = std::getenv("LD_PRELOAD");
  const bool alone = before == nullptr || *before == '\0';
  variables.emplace_back("LD_PRELOAD",
                         alone ? library.string() : fmt::format("{}:{}", before, library.string()));
  return variables;
}

}  // namespace weir::launch
