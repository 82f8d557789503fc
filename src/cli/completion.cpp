#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/help.hpp"

namespace weir::cli {
namespace {

// Long flags of a command, each with the words it takes; empty words mean a flag or a free value.
struct Flag {
  std::string name;
  std::string description;
  std::vector<std::string> words;
  bool takes_value = false;
};

std::vector<Flag> flags_of(const CLI::App& app) {
  std::vector<Flag> flags;
  for (const CLI::Option* option : shown_options(app))
    for (const std::string& name : option->get_lnames())
      flags.push_back(
          {"--" + name, option->get_description(), choices_of(*option), option->get_type_size() != 0});
  return flags;
}

std::vector<std::string> positional_words(const CLI::App& app) {
  for (const CLI::Option* option : shown_options(app))
    if (option->get_positional() && !choices_of(*option).empty()) return choices_of(*option);
  return {};
}

// What may stand after a command's name: its parts, or the words its first argument takes.
std::vector<std::string> following_words(const Program::Entry& entry) {
  if (entry.parts.empty()) return positional_words(*entry.app);
  std::vector<std::string> names;
  for (const Program::Entry& part : entry.parts) names.emplace_back(part.command->name);
  return names;
}

std::string bash_script(const Program& program) {
  std::string names, groups, cases, values;
  for (const Program::Entry& entry : program.entries) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", entry.name);
    if (!entry.parts.empty()) groups += fmt::format("{}{}", groups.empty() ? "" : "|", entry.name);
  }
  for (const Program::Entry* entry : every_entry(program)) {
    std::string flags;
    for (const Flag& flag : flags_of(*entry->app)) {
      flags += fmt::format("{}{}", flags.empty() ? "" : " ", flag.name);
      if (!flag.words.empty())
        values += fmt::format("    '{}:{}') COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
                              entry->name, flag.name, fmt::join(flag.words, " "));
    }
    cases += fmt::format("    '{}') flags=\"{}\"; words=\"{}\" ;;\n", entry->name, flags,
                         fmt::join(following_words(*entry), " "));
  }
  return fmt::format(R"(# bash completion for weir; made by: weir completion bash
_weir() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= flags= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      --log) ((i++)) ;;
      -*) ;;
      *)
        command="${{command:+$command }}${{COMP_WORDS[i]}}"
        case $command in {}) ;; *) break ;; esac ;;
    esac
  done
  if [[ -z $command ]]; then
    COMPREPLY=($(compgen -W "{} --help --version --log" -- "$word"))
    return
  fi
  case "$command:$before" in
{}  esac
  case "$command" in
{}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _weir weir
)",
                     groups.empty() ? "''" : groups, names, values, cases);
}

// zsh reads [, ] and : inside a specification as its own; ' ends the quoting.
std::string zsh_quoted(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted;
}

std::string zsh_arguments(const Program::Entry& entry) {
  std::string arguments = "_arguments";
  for (const Flag& flag : flags_of(*entry.app)) {
    arguments += fmt::format(" \\\n        '{}[{}]", flag.name, zsh_quoted(flag.description));
    if (!flag.words.empty())
      arguments += fmt::format(":word:({})", fmt::join(flag.words, " "));
    else if (flag.takes_value)
      arguments += ":value:_files";
    arguments += "'";
  }
  const auto words = positional_words(*entry.app);
  return arguments + (words.empty() ? " \\\n        '*:file:_files'"
                                    : fmt::format(" \\\n        '*:word:({})'", fmt::join(words, " ")));
}

std::string zsh_script(const Program& program) {
  std::string names, cases;
  for (const Program::Entry& entry : program.entries) {
    names += fmt::format("    '{}:{}'\n", entry.name, zsh_quoted(entry.command->summary));
    if (entry.parts.empty()) {
      cases += fmt::format("      {}) {} ;;\n", entry.name, zsh_arguments(entry));
      continue;
    }
    cases += fmt::format(
        "      {}) if (( CURRENT == 2 )); then _values command {}; else shift words; (( CURRENT-- ));\n"
        "      case $words[1] in\n",
        entry.name, fmt::join(following_words(entry), " "));
    for (const Program::Entry& part : entry.parts)
      cases += fmt::format("      {}) {} ;;\n", part.command->name, zsh_arguments(part));
    cases += "      esac; fi ;;\n";
  }
  return fmt::format(R"(#compdef weir
# zsh completion for weir; made by: weir completion zsh
_weir() {{
  local -a commands
  commands=(
{}  )
  _arguments -C '--help[all commands]' '--version[version and build facts]' '--log[what to tell on stderr]:level:(error warn info debug)' '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
{}      esac ;;
  esac
}}
if [[ $funcstack[1] == _weir ]]; then _weir "$@"; else compdef _weir weir; fi
)",
                     names, cases);
}

Run define(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  add_choice(app, "SHELL", *shell, {"bash", "zsh"}, "the shell to make the script for: bash or zsh")
      ->required();
  return [shell](Output& out) -> Result<int> {
    const Program program = make_program();
    out.write(*shell == "bash" ? bash_script(program) : zsh_script(program));
    return 0;
  };
}

constexpr std::array kExamples = {
    Example{"source <(weir completion bash)", "in this shell; for all, put the line into ~/.bashrc"},
    Example{"weir completion zsh > ~/.zfunc/_weir", "a directory of $fpath"},
};

}  // namespace

const Command kCompletion = {
    .name = "completion",
    .summary = "the completion script for bash or zsh",
    .examples = kExamples,
    .define = define,
};

}  // namespace weir::cli
