#include "cli/command.hpp"

#include <map>

#include <CLI/CLI.hpp>

namespace weir::cli {
namespace {

// CLI11 keeps the words of a choice only as text; completions need them as words.
std::map<const CLI::Option*, std::vector<std::string>>& choices() {
  static std::map<const CLI::Option*, std::vector<std::string>> known;
  return known;
}

}  // namespace

CLI::Option* add_choice(CLI::App& app, const std::string& flags, std::string& value,
                        std::vector<std::string> words, const std::string& description) {
  CLI::Option* option = app.add_option(flags, value, description);
  option->check(CLI::Validator(
      [words](std::string& given) -> std::string {
        if (std::find(words.begin(), words.end(), given) != words.end()) return "";
        return fmt::format("'{}' is none of {}", given, fmt::join(words, ", "));
      },
      fmt::format("{}", fmt::join(words, "|"))));
  option->type_name("");
  choices()[option] = std::move(words);
  return option;
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  const auto found = choices().find(&option);
  return found == choices().end() ? std::vector<std::string>{} : found->second;
}

CLI::Option* add_json_flag(CLI::App& app, bool& json) {
  return app.add_flag("--json", json, "print one JSON object for machines instead of a table");
}

}  // namespace weir::cli
