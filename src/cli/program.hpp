#pragma once

#include <memory>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command.hpp"

namespace weir::cli {

// The parser of `weir` with all its subcommands declared on it.
struct Program {
  std::unique_ptr<CLI::App> app;
  struct Entry {
    const Command* command;
    std::string name;  // as typed: "fit", "bench run"
    CLI::App* app;
    Run run;
    std::vector<Entry> parts;
  };
  std::vector<Entry> entries;
};

// All entries, each before its parts.
std::vector<const Program::Entry*> every_entry(const Program& program);

Program make_program();

// Parses, runs, reports: the whole of main(), with the exit status as its value.
int run_program(int argc, const char* const* argv);

}  // namespace weir::cli
