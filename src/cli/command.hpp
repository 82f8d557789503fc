#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/output.hpp"

namespace CLI {  // CLI11 is heavy; only files that declare flags include it
class App;
class Option;
}  // namespace CLI

namespace weir::cli {

// What a chosen subcommand does: prints its answer and returns the exit status (0, or 1 for "no").
using Run = std::function<Result<int>(Output&)>;

struct Example {
  std::string_view line;  // as typed
  std::string_view says;  // what it gives
};

// A subcommand, declared in a file of its own. define() puts its flags on `app` and returns what runs when
// it was chosen; help, completions and the manual are made from the same flags.
struct Command {
  std::string_view name;
  std::string_view summary;  // one line, no full stop
  std::span<const Example> examples;
  Run (*define)(CLI::App& app) = nullptr;
  std::string_view notes = {};  // what --help says after the options
  // Commands of its own (`weir bench run`); such a command has no flags and does nothing by itself.
  std::span<const Command* const> parts = {};
};

// Every subcommand, in the order in which help lists them.
std::span<const Command* const> commands();

// An option that takes one of a few words; parsing, help and completions all know them.
CLI::Option* add_choice(CLI::App& app, const std::string& flags, std::string& value,
                        std::vector<std::string> words, const std::string& description);
std::vector<std::string> choices_of(const CLI::Option& option);

// `--json`, worded alike everywhere.
CLI::Option* add_json_flag(CLI::App& app, bool& json);

}  // namespace weir::cli
