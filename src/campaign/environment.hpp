#pragma once

#include <filesystem>

#include "base/json_fwd.hpp"

namespace weir::campaign {

// What a result depends on besides its configuration: kernel, processor and its governor ("absent" where the
// machine shows none), memory, the file system, mount options and device behind `directory`, limits, the
// batch job, Weir's version. `root` is "/" but for tests.
Json capture_environment(const std::filesystem::path& directory, const std::filesystem::path& root = "/");

}  // namespace weir::campaign
