#include <array>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/help.hpp"

namespace weir::cli {
namespace {

// roff reads a leading dot or quote as a request, and a hyphen as a soft one.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
  }
  if (escaped.starts_with('.') || escaped.starts_with('\'')) escaped.insert(0, "\\&");
  return escaped;
}

std::string page(const Program& program) {
  std::string text = fmt::format(
      ".TH WEIR 1 \"\" \"weir {}\" \"User Commands\"\n.SH NAME\nweir \\- trace, prove, run, measure and "
      "predict the I/O of "
      "parallel programs\n.SH SYNOPSIS\n.B weir\n.I COMMAND\n[OPTIONS]\n",
      build_facts().version);
  for (const Program::Entry* entry : every_entry(program)) {
    const Command& command = *entry->command;
    text += fmt::format(".SH weir {}\n{}.\n.PP\n{}\n", entry->name, roff(command.summary),
                        roff(usage_line(*entry)));
    for (const CLI::Option* option : shown_options(*entry->app))
      text += fmt::format(".TP\n.B {}\n{}\n", roff(option_heading(*option)), roff(option->get_description()));
    for (const Example& example : command.examples)
      text += fmt::format(".PP\n.RS 4\n.B {}\n.br\n{}\n.RE\n", roff(example.line), roff(example.says));
    if (!command.notes.empty()) text += fmt::format(".PP\n{}\n", roff(command.notes));
  }
  text +=
      ".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\ndone, and the answer is no (a conflict found, a "
      "regression)\n.TP\n.B 2\n"
      "wrong use or unreadable input\n.TP\n.B 3\nthe machine lacks something, named with the package to "
      "install\n.TP\n.B 4\n"
      "a failure inside\n";
  return text;
}

Run define(CLI::App& /*app*/) {
  return [](Output& out) -> Result<int> {
    out.write(page(make_program()));
    return 0;
  };
}

constexpr std::array kExamples = {
    Example{"weir manual | man -l -", "read it"},
};

}  // namespace

const Command kManual = {
    .name = "manual",
    .summary = "the manual page, for man",
    .examples = kExamples,
    .define = define,
};

}  // namespace weir::cli
