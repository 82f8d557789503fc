#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace weir {

// A file of Weir's own that is not for users to call: preload libraries, rank programs, the testbed. It is
// beside the running program, as in a build tree, or in its library folder, as installed.
Result<std::filesystem::path> find_own_file(std::string_view name);

}  // namespace weir
