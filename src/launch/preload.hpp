#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir::launch {

// One of Weir's own preload libraries, by its name without "lib" and ".so".
Result<std::filesystem::path> find_preload_library(std::string_view name);

// Whether a preload library can get into this program, as the user typed it. An Error of kind `lacking` says
// why not: statically linked, set-user-ID, or built for another processor.
Result<void> check_preloadable(const std::string& program);

// Adds and replaces environment variables, and puts a library in front of LD_PRELOAD.
using Variables = std::vector<std::pair<std::string, std::string>>;
Variables with_preload(Variables variables, const std::filesystem::path& library);

// Starts the program as its user would, waits for it, and gives its exit status: 128 + n when signal n ended
// it. While it runs, an interrupt from the terminal reaches the program, and a request to end is passed on to
// it; this process goes on to tidy up.
Result<int> run_program(const std::vector<std::string>& command, const Variables& variables);

}  // namespace weir::launch
