#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"

namespace weir::monitor::detail {

// A program whose output is read.
struct Command {
  std::vector<std::string> arguments;
  std::string input;  // for its standard input; short
};

// What it printed. An Error when it cannot be started, fails, prints more than `limit` bytes or is not done
// in `time`; it is killed then with all it started.
Result<std::string> run_command(const Command& command, Nanoseconds time, std::size_t limit = 16U << 20U);

}  // namespace weir::monitor::detail
