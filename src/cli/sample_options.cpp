#include "cli/sample_options.hpp"

#include <array>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "campaign/samples.hpp"
#include "campaign/store.hpp"

namespace weir::cli {
namespace {

constexpr std::size_t kToldProblems = 3;

Result<char> delimiter_of(const std::string& text) {
  if (text.empty()) return '\0';
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "space") return ' ';
  if (text.size() == 1) return text.front();
  return Error{Errc::usage, fmt::format("--delimiter '{}' is not one character", text)}.with_remedy(
      "use ',', ';', '|', tab or space");
}

void tell_problems(const stats::Samples& samples) {
  const stats::InputReport& report = samples.report;
  if (report.skipped > 0) {
    warn("{}: {} of {} values skipped; --strict makes this an error", samples.source, report.skipped,
         report.values + report.skipped);
    for (std::size_t i = 0; i < std::min(kToldProblems, report.first.size()); ++i)
      warn("{}: {}", samples.source, report.first[i].message());
    if (report.first.size() > kToldProblems) warn("... and {} more", report.skipped - kToldProblems);
  }
  for (const std::string& group : report.empty_groups)
    warn("{}: group {} has no values and is left out", samples.source, group);
}

}  // namespace

void add_column_options(CLI::App& app, SampleOptions& options) {
  app.add_option("--column", options.query.column,
                 "the measured quantity: a column's name, or its number from 1")
      ->type_name("NAME");
  auto* group = app.add_option("--group", options.query.group,
                               "columns that make up a configuration; each is analysed apart")
                    ->type_name("NAME,...")
                    ->delimiter(',');
  app.add_option("--wide", options.query.wide,
                 "one row per configuration, its runs in the columns that begin with PREFIX")
      ->type_name("PREFIX")
      ->excludes(group);
  add_reading_options(app, options);
}

void add_reading_options(CLI::App& app, SampleOptions& options) {
  app.add_option("--delimiter", options.delimiter,
                 "what separates columns: one character, tab or space (found by itself)")
      ->type_name("CHAR");
  app.add_flag("--all-runs", options.all_runs, "of a results store: also runs that others disturbed");
  app.add_flag("--strict", options.query.strict,
               "exit 2 at the first value that cannot be used, instead of skipping it");
}

void add_file_option(CLI::App& app, SampleOptions& options) {
  app.add_option(
         "FILE", options.file,
         "CSV, JSON lines or one number per line, also .zst; a store of weir bench; - is standard input")
      ->required();
}

void add_sample_options(CLI::App& app, SampleOptions& options) {
  add_file_option(app, options);
  add_column_options(app, options);
}

Result<stats::Samples> read(const SampleOptions& options, const std::string& file) {
  const auto delimiter = delimiter_of(options.delimiter);
  if (!delimiter) return delimiter.error();
  stats::SampleQuery query = options.query;
  query.delimiter = *delimiter;
  auto samples = campaign::is_store(file) ? campaign::read_samples(file, query, options.all_runs)
                                          : stats::read_samples(file, query);
  if (samples) tell_problems(*samples);
  return samples;
}

Json key_json(const std::vector<stats::KeyPart>& key) {
  Json object = Json::object();
  for (const stats::KeyPart& part : key) object[part.column] = part.value;
  return object;
}

Json input_json(const stats::Samples& samples) {
  Json problems = Json::array();
  for (const stats::Problem& problem : samples.report.first) problems.push_back(problem.message());
  return {{"source", samples.source},          {"column", samples.column},
          {"rows", samples.report.rows},       {"values", samples.report.values},
          {"skipped", samples.report.skipped}, {"problems", std::move(problems)}};
}

}  // namespace weir::cli
