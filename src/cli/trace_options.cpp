#include "cli/trace_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "base/log.hpp"

namespace weir::cli {

void add_trace_argument(CLI::App& app, TraceOptions& options) {
  app.add_option("DIR", options.path, "what 'weir trace' wrote: the directory, or the file in it")
      ->required();
}

void add_salvage_flag(CLI::App& app, TraceOptions& options) {
  app.add_flag("--salvage", options.salvage, "read what is readable of a damaged trace");
}

Result<trace::TraceFile> open_trace(const TraceOptions& options) {
  auto trace = trace::TraceFile::open(options.path, {.salvage = options.salvage});
  if (!trace) return trace.error();
  for (const std::string& damage : trace->damage()) warn("{}: {}", trace->path().string(), damage);
  return trace;
}

std::vector<std::string> fact_texts(const trace::TraceFile& trace, const char* fact) {
  std::vector<std::string> texts;
  const auto found = trace.facts().find(fact);
  if (found != trace.facts().end() && found->is_array())
    for (const Json& text : *found)
      if (text.is_string()) texts.push_back(text.get<std::string>());
  return texts;
}

std::vector<std::string> told_when_merged(const trace::TraceFile& trace) {
  return fact_texts(trace, "warnings");
}

std::string narrowing_of(const trace::TraceFile& trace) {
  return fmt::format("{}", fmt::join(fact_texts(trace, "narrowed"), " "));
}

void warn_of_gaps(const trace::TraceFile& trace) {
  constexpr std::size_t kShown = 5;
  const std::vector<std::string> texts = told_when_merged(trace);
  for (std::size_t i = 0; i < texts.size() && i < kShown; ++i) warn("{}", texts[i]);
  if (texts.size() > kShown)
    warn("... and {} more like these; 'weir stat' tells them", texts.size() - kShown);
}

void warn_left_out(const std::vector<std::string>& damage) {
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < damage.size() && i < kShown; ++i) warn("left out: {}", damage[i]);
  if (damage.size() > kShown) warn("left out: {} more places", damage.size() - kShown);
}

}  // namespace weir::cli
