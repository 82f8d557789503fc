#pragma once

#include <string>

#include "cli/program.hpp"

namespace weir::cli {

// What `weir --help` prints: the subcommands, each in a line.
std::string program_help(const Program& program);

// `weir <command> -h`: one screen with usage and options, or the commands it is made of. `--help` begins with
// examples and ends with notes.
std::string command_help(const Program::Entry& entry, bool whole);

// An option as shown to people: "--column NAME", "FILE", "-v,--verbose".
std::string option_heading(const CLI::Option& option);

// Options and positionals of a command that people should see, positionals first.
std::vector<const CLI::Option*> shown_options(const CLI::App& app);

std::string usage_line(const Program::Entry& entry);

}  // namespace weir::cli
