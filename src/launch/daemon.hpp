#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.hpp"

namespace weir::launch {

// Starts a program that outlives this one and its terminal: no input, working directory "/", both outputs
// appended to `log`, no other file of ours open. Gives its process, whose parent is init, or an error when it
// could not be started; what becomes of it later its log tells.
Result<pid_t> start_daemon(const std::vector<std::string>& command, const std::filesystem::path& log);

// Whether a daemon has ended, also when nobody has asked for its status yet.
bool has_ended(pid_t process);

}  // namespace weir::launch
