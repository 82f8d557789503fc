#include "cli/help.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/terminal.hpp"

namespace weir::cli {
namespace {

constexpr std::size_t kWidest = 100;
constexpr std::string_view kMainGroup = "Options";

std::size_t page_width() { return std::min(kWidest, terminal_width(STDOUT_FILENO, kWidest)); }

// Two columns: headings, and beside them descriptions that wrap. Long headings get a line of their own.
std::string two_columns(const std::vector<std::pair<std::string, std::string>>& rows) {
  constexpr std::size_t kLongestHeading = 32;
  std::size_t column = 0;
  for (const auto& [heading, text] : rows)
    if (display_width(heading) <= kLongestHeading) column = std::max(column, display_width(heading));
  column += 4;
  std::string page;
  for (const auto& [heading, text] : rows) {
    std::string body = wrap(text, page_width(), column);
    if (display_width(heading) + 4 <= column && body.size() >= column)
      body.replace(0, column,
                   fmt::format("  {}{}", heading, std::string(column - 2 - display_width(heading), ' ')));
    else
      body = fmt::format("  {}\n{}", heading, body);
    page += body + "\n";
  }
  return page;
}

std::string paragraphs(std::string_view text) {
  std::string page;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    page += wrap(text.substr(0, end), page_width(), 2) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return page;
}

std::vector<std::pair<std::string, std::string>> summaries(const std::vector<Program::Entry>& entries) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Program::Entry& entry : entries) rows.emplace_back(entry.command->name, entry.command->summary);
  return rows;
}

}  // namespace

std::vector<const CLI::Option*> shown_options(const CLI::App& app) {
  std::vector<const CLI::Option*> options = app.get_options(
      [](const CLI::Option* option) { return !option->get_group().empty() && option->get_name() != "-h"; });
  std::ranges::stable_partition(options, [](const CLI::Option* option) { return option->get_positional(); });
  return options;
}

std::string option_heading(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  std::string heading = option.get_name();
  if (heading == "--help") heading = "-h,--help";
  const std::vector<std::string> words = choices_of(option);
  if (!words.empty()) return fmt::format("{} {}", heading, fmt::join(words, "|"));
  if (option.get_type_size() != 0 && !option.get_type_name().empty()) heading += " " + option.get_type_name();
  return heading;
}

std::string usage_line(const Program::Entry& entry) {
  std::string line = fmt::format("weir {}", entry.name);
  if (!entry.parts.empty()) return line + " COMMAND [OPTIONS]";
  for (const CLI::Option* option : shown_options(*entry.app)) {
    if (option->get_name() == "--help" || option->get_group() != kMainGroup) continue;
    const std::string heading = option_heading(*option);
    line += option->get_required() ? fmt::format(" {}", heading) : fmt::format(" [{}]", heading);
  }
  return line;
}

std::string command_help(const Program::Entry& entry, bool whole) {
  std::string page = fmt::format("weir {}: {}\n\n", entry.name, entry.command->summary);
  if (whole && !entry.command->examples.empty()) {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const Example& example : entry.command->examples) rows.emplace_back(example.line, example.says);
    page += "Examples\n" + two_columns(rows) + "\n";
  }
  page += "Usage\n" + wrap(usage_line(entry), page_width(), 2) + "\n";
  if (!entry.parts.empty()) page += "\nCommands\n" + two_columns(summaries(entry.parts));
  // Options of a group of their own are for few: `-h` leaves them to `--help`.
  std::vector<std::string> groups;
  for (const CLI::Option* option : shown_options(*entry.app))
    if (std::ranges::find(groups, option->get_group()) == groups.end()) groups.push_back(option->get_group());
  std::ranges::stable_partition(groups, [](const std::string& group) { return group == kMainGroup; });
  for (const std::string& group : groups) {
    if (group != kMainGroup && !whole) continue;
    std::vector<std::pair<std::string, std::string>> rows;
    for (const CLI::Option* option : shown_options(*entry.app))
      if (option->get_group() == group) rows.emplace_back(option_heading(*option), option->get_description());
    page += fmt::format("\n{}\n{}", group, two_columns(rows));
  }
  if (whole && !entry.command->notes.empty()) page += "\nNotes\n" + paragraphs(entry.command->notes);
  if (!whole) page += fmt::format("\nExamples and notes: weir {} --help\n", entry.name);
  return page;
}

std::string program_help(const Program& program) {
  std::string page =
      "weir: trace, prove, run, measure and predict the I/O of parallel programs\n\n"
      "Usage\n  weir COMMAND [OPTIONS]\n\nCommands\n";
  page += two_columns(summaries(program.entries));
  page += "\nOptions\n" +
          two_columns({{"-h,--help", "this page; weir COMMAND --help shows a command with examples"},
                       {"--version", "version and build facts"},
                       {"--log LEVEL", "what to tell on stderr: error, warn (default), info or debug"}});
  page +=
      "\nExit codes\n"
      "  0 done    1 the answer is no    2 wrong use or unreadable input\n"
      "  3 the machine lacks something, named with the package    4 a failure inside\n";
  return page;
}

}  // namespace weir::cli
