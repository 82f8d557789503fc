#include "cli/program.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "base/interrupt.hpp"
#include "base/log.hpp"
#include "base/nearest.hpp"
#include "base/version.hpp"
#include "cli/help.hpp"

namespace weir::cli {
namespace {

int report(std::string_view who, const Error& error) {
  fmt::print(stderr, "{}: {}\n", who, error.text());
  return exit_code(error.code());
}

std::string version_text() {
  const BuildFacts facts = build_facts();
  std::string text =
      fmt::format("weir {}\nbuild     {}, {}", facts.version, facts.build_type, facts.compiler);
  if (!facts.sanitizers.empty()) text += fmt::format(", sanitizers {}", facts.sanitizers);
  text += fmt::format("\noptional  {}\nlicence   Apache-2.0\n",
                      facts.built_with.empty() ? "none" : facts.built_with);
  return text;
}

// The innermost command on the line.
const Program::Entry* chosen(const std::vector<Program::Entry>& entries) {
  for (const Program::Entry& entry : entries) {
    if (!entry.app->parsed()) continue;
    const Program::Entry* const part = chosen(entry.parts);
    return part == nullptr ? &entry : part;
  }
  return nullptr;
}

// The error for the first word that should name one of `entries` and does not.
Error unknown_command(const std::vector<Program::Entry>& entries, std::string_view word,
                      std::string_view page) {
  std::vector<std::string> names;
  for (const Program::Entry& entry : entries) names.emplace_back(entry.command->name);
  const Error error{Errc::usage, fmt::format("no command '{}'", word)};
  if (const auto guess = nearest(word, names))
    return error.with_remedy(fmt::format("did you mean {}", *guess));
  return error.with_remedy(fmt::format("see {} --help", page));
}

// CLI11 reports what it could not place; say it in one line, with the flag that was probably meant.
Error unexpected_arguments(const Program::Entry& entry) {
  const std::string page = fmt::format("weir {}", entry.name);
  for (const std::string& word : entry.app->remaining()) {
    if (!word.starts_with('-')) continue;
    const std::string flag = word.substr(0, word.find('='));
    std::vector<std::string> flags;
    for (const CLI::Option* option : shown_options(*entry.app))
      for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
    const Error error{Errc::usage, fmt::format("no option '{}'", flag)};
    if (const auto guess = nearest(flag, flags))
      return error.with_remedy(fmt::format("did you mean {}", *guess));
    return error.with_remedy(fmt::format("see {} --help", page));
  }
  if (!entry.parts.empty()) return unknown_command(entry.parts, entry.app->remaining().front(), page);
  return Error{Errc::usage, fmt::format("unexpected '{}'", fmt::join(entry.app->remaining(), " "))}
      .with_remedy(fmt::format("see {} --help", page));
}

Error usage_error(const Program& program, const CLI::ParseError& failure) {
  const Program::Entry* const entry = chosen(program.entries);
  if (entry != nullptr && dynamic_cast<const CLI::ExtrasError*>(&failure) != nullptr)
    return unexpected_arguments(*entry);
  std::string what = failure.what();
  while (what.ends_with('\n')) what.pop_back();
  const Error error{Errc::usage, what};
  return error.with_remedy(entry == nullptr ? "see weir --help"
                                            : fmt::format("see weir {} --help", entry->name));
}

// The first word that is not one of weir's own options, where a subcommand must stand.
std::optional<std::string_view> command_word(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--log") {
      ++i;
      continue;
    }
    if (!word.starts_with('-')) return word;
  }
  return std::nullopt;
}

// The command as documents name it: without what does not change an answer, so that the bytes do not either.
std::vector<std::string> typed(const Program::Entry& entry, int argc, const char* const* argv) {
  constexpr std::string_view kThreads = "--threads";
  const bool threads = entry.app->get_option_no_throw(std::string(kThreads)) != nullptr;
  std::vector<std::string> words = {"weir"};
  bool own = true;  // and not those of a program behind --
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    own = own && word != "--";
    const bool left_out = own && (word == "--log" || (threads && word == kThreads));
    if (left_out)
      ++i;  // and its value
    else if (!own || !(word.starts_with("--log=") || (threads && word.starts_with("--threads="))))
      words.emplace_back(word);
  }
  return words;
}

int run_chosen(const Program::Entry& entry, Output& out) {
  const std::string who = fmt::format("weir {}", entry.name);
  set_log_name(who);
  const Result<int> status = entry.run(out);
  const Result<void> written = out.finish();
  if (!status) return report(who, status.error());
  if (!written) return report(who, written.error());
  return *status;
}

// Whether an option takes as many values as follow, none among them.
bool is_open_list(const std::vector<Program::Entry>& entries, const std::string& name) {
  return std::ranges::any_of(entries, [&](const Program::Entry& entry) {
    const CLI::Option* const option = entry.app->get_option_no_throw(name);
    return option != nullptr && option->get_expected_min() == 0 && option->get_expected_max() > 1;
  });
}

// The words for the parser. It takes a "--" behind an open list for the end of that list, and the options of
// the program behind it for Weir's own: there it gets another one.
std::vector<const char*> words_to_parse(const Program& program, int argc, const char* const* argv) {
  std::vector<const char*> words(argv, argv + argc);
  const auto is_end = [](const char* word) { return std::string_view(word) == "--"; };
  const auto end = std::ranges::find_if(words, is_end);
  const auto option = std::find_if(std::make_reverse_iterator(end), words.rend(),
                                   [](const char* word) { return word[0] == '-'; });
  if (end == words.end() || option == words.rend()) return words;
  const std::string_view text = *option;
  if (is_open_list(program.entries, std::string(text.substr(0, text.find('='))))) words.insert(end, "--");
  return words;
}

int parse_and_run(int argc, const char* const* argv) {
  Program program = make_program();
  Output out(STDOUT_FILENO);
  const auto print = [&out](std::string_view text) {
    out.write(text);
    const auto written = out.finish();
    return written ? 0 : report("weir", written.error());
  };

  const auto word = command_word(argc, argv);
  const auto is_word = [&word](const Program::Entry& entry) { return entry.command->name == *word; };
  if (word && std::ranges::none_of(program.entries, is_word))
    return report("weir", unknown_command(program.entries, *word, "weir"));
  try {
    const std::vector<const char*> words = words_to_parse(program, argc, argv);
    program.app->parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::CallForVersion&) {
    return print(version_text());
  } catch (const CLI::CallForHelp&) {
    const Program::Entry* entry = chosen(program.entries);
    return print(entry == nullptr ? program_help(program) : command_help(*entry, false));
  } catch (const CLI::CallForAllHelp&) {
    const Program::Entry* entry = chosen(program.entries);
    return print(entry == nullptr ? program_help(program) : command_help(*entry, true));
  } catch (const CLI::ParseError& failure) {
    const Program::Entry* entry = chosen(program.entries);
    const std::string who = entry == nullptr ? "weir" : fmt::format("weir {}", entry->name);
    return report(who, usage_error(program, failure));
  }

  const Program::Entry* entry = chosen(program.entries);
  if (entry == nullptr) {
    fmt::print(stderr, "{}", program_help(program));
    return exit_code(Errc::usage);
  }
  if (!entry->parts.empty()) {
    fmt::print(stderr, "{}", command_help(*entry, false));
    return exit_code(Errc::usage);
  }
  out.made_by(typed(*entry, argc, argv));
  return run_chosen(*entry, out);
}

Program::Entry make_entry(const Command& command, CLI::App& parent, std::string_view before) {
  CLI::App* const app = parent.add_subcommand(std::string(command.name), std::string(command.summary));
  app->set_help_flag("-h", "a page that fits the screen");
  app->set_help_all_flag("--help", "this page, with examples");
  Program::Entry entry{&command, fmt::format("{}{}", before, command.name), app, {}, {}};
  if (command.define != nullptr) entry.run = command.define(*app);
  for (const Command* part : command.parts) entry.parts.push_back(make_entry(*part, *app, entry.name + " "));
  return entry;
}

}  // namespace

Program make_program() {
  Program program{.app = std::make_unique<CLI::App>("", "weir"), .entries = {}};
  CLI::App& app = *program.app;
  app.set_version_flag("--version", "weir");
  app.set_help_flag("-h", "a page that fits the screen");
  app.set_help_all_flag("--help", "the whole page, examples first");
  app.add_option_function<std::string>(
         "--log",
         [](const std::string& name) {
           const auto level = parse_log_level(name);
           if (!level) throw CLI::ValidationError("--log", level.error().text());
           set_log_level(*level);
         },
         "what to tell on stderr")
      ->envname("WEIR_LOG");
  for (const Command* command : commands()) program.entries.push_back(make_entry(*command, app, ""));
  return program;
}

std::vector<const Program::Entry*> every_entry(const Program& program) {
  std::vector<const Program::Entry*> all;
  const auto add = [&all](const auto& self, const std::vector<Program::Entry>& entries) -> void {
    for (const Program::Entry& entry : entries) {
      all.push_back(&entry);
      self(self, entry.parts);
    }
  };
  add(add, program.entries);
  return all;
}

int run_program(int argc, const char* const* argv) {
  install_signal_manners();
  try {
    return parse_and_run(argc, argv);
  } catch (const std::bad_alloc&) {
    return report(
        "weir", Error{Errc::lacking, "out of memory"}.with_remedy("give the job more, or the command less"));
  } catch (const std::exception& failure) {
    return report("weir", Error{Errc::internal, failure.what()});
  }
}

}  // namespace weir::cli
