#include "base/own_files.hpp"

#include <system_error>

#include <fmt/format.h>

namespace weir {

namespace fs = std::filesystem;

Result<fs::path> find_own_file(std::string_view name) {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  const fs::path bin = self.parent_path();
  for (const fs::path& folder : {bin, bin / ".." / WEIR_PRIVATE_FOLDER}) {
    const fs::path candidate = (folder / name).lexically_normal();
    if (fs::exists(candidate, failed)) return candidate;
  }
  return Error{Errc::lacking, fmt::format("{} is not where Weir was installed", name)}.with_remedy(
      "install Weir again, or run it from its build directory");
}

}  // namespace weir
