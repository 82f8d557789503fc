#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/progress.hpp"
#include "base/units.hpp"
#include "cli/commands.hpp"
#include "cli/trace_options.hpp"
#include "trace/summary.hpp"

namespace weir::cli {
namespace {

constexpr int kDamaged = 2;

Result<int> run_verify(const std::string& path, Output& out) {
  // Every damage is told, not the first alone; what cannot be opened at all is an error.
  const auto trace = trace::TraceFile::open(path, {.salvage = true});
  if (!trace) return trace.error();
  Progress progress("verifying", trace->records());
  trace::SummaryOptions how;
  how.salvage = true;
  how.advance = [&](std::uint64_t records) { progress.advance(records); };
  const auto summary = summarize(*trace, how);
  if (!summary) return summary.error();
  for (const std::string& damage : trace->damage())
    out.print("damaged: {}: {}\n", trace->path().string(), damage);
  for (const std::string& damage : summary->damage) out.print("damaged: {}\n", damage);
  if (!trace->damage().empty() || !summary->damage.empty() || summary->total.calls != trace->records()) {
    out.print("{} of {} records are readable; see them with --salvage\n", format_count(summary->total.calls),
              format_count(trace->records()));
    return kDamaged;
  }
  // What only a strict reading minds: a table that is not there.
  if (const auto strict = trace::TraceFile::open(path); !strict) return strict.error();
  for (const std::string& text : told_when_merged(*trace)) out.print("not kept: {}\n", text);
  const std::size_t processes = trace->processes().size();
  out.print("ok: {} records in {} process{}\n", trace->records(), processes, processes == 1 ? "" : "es");
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<TraceOptions>();
  add_trace_argument(app, *options);
  return [options](Output& out) { return run_verify(options->path, out); };
}

constexpr std::array kExamples = {
    Example{"weir verify run.trace",
            "exit 0 if every byte is as it was written and every record can be read"},
};

}  // namespace

const Command kVerify = {
    .name = "verify",
    .summary = "whether a trace is whole: checksums, tables, every record",
    .examples = kExamples,
    .define = define,
    .notes =
        "Says of each damaged place which records it costs; exit 2 if there is any. 'weir dump --salvage' "
        "and "
        "'weir stat --salvage' read the rest.",
};

}  // namespace weir::cli
