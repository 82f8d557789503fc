#pragma once

#include <string>

#include "cli/command.hpp"
#include "stats/sample_file.hpp"

namespace weir::cli {

// FILE, --column, --group, --wide, --delimiter and --strict, worded alike in every command that reads
// samples.
struct SampleOptions {
  std::string file;
  std::string delimiter;
  stats::SampleQuery query;
  bool all_runs = false;
};

// Up to this many groups each is shown at length; beyond, a line each.
inline constexpr std::size_t kDetailedGroups = 10;

void add_sample_options(CLI::App& app, SampleOptions& options);
// The same without FILE, for commands that name their files by flags.
void add_column_options(CLI::App& app, SampleOptions& options);
// Parts of them, for commands that name columns in another way: FILE; --delimiter, --all-runs and --strict.
void add_file_option(CLI::App& app, SampleOptions& options);
void add_reading_options(CLI::App& app, SampleOptions& options);

// Reads what the options name. What was skipped is told on stderr, not hidden.
Result<stats::Samples> read(const SampleOptions& options, const std::string& file);

// {"source", "column", "rows", "values", "skipped", "problems": [...]} of an answer.
Json input_json(const stats::Samples& samples);

// {"threads": "4", ...} as the input spelled it.
Json key_json(const std::vector<stats::KeyPart>& key);

}  // namespace weir::cli
