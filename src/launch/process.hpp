#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"

namespace weir::launch {

struct Finished {
  int status = 0;      // exit status; 128 + n when signal n ended it, as shells count
  std::string output;  // stdout and stderr together
};

// Runs a program with no input and waits for it. One that takes longer than `limit`, or prints more than
// a megabyte, is killed and is an error.
Result<Finished> run_and_capture(const std::vector<std::string>& command,
                                 Nanoseconds limit = Nanoseconds(10'000'000'000));

// Where the shell would find a program: a name with a slash is where it says.
std::optional<std::filesystem::path> find_program(const std::string& name);

}  // namespace weir::launch
