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

// Adds and replaces environment variables, and puts libraries in front of LD_PRELOAD.
using Variables = std::vector<std::pair<std::string, std::string>>;
Variables with_preload(Variables variables, const std::vector<std::filesystem::path>& libraries);
// The same behind all others, where it stands for the system itself: their calls pass through it too.
Variables with_preload_last(Variables variables, const std::filesystem::path& library);

// Files that stand for the program's streams; without a name it has this process's own.
struct Streams {
  std::filesystem::path input, output, errors;
};

// Starts the program as its user would, waits for it, and gives its exit status: 128 + n when signal n ended
// it. While it runs, an interrupt from the terminal reaches the program, and a request to end is passed on to
// it; this process goes on to tidy up.
Result<int> run_program(const std::vector<std::string>& command, const Variables& variables,
                        const Streams& streams = {});

// Whether an interrupt from the terminal came while the last program ran. The program may have been too young
// or too old to be ended by it: who would start another one asks here first.
bool interrupted_meanwhile();

}  // namespace weir::launch
