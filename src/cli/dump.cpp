#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "cli/commands.hpp"
#include "cli/dump_format.hpp"
#include "cli/trace_options.hpp"
#include "trace/records.hpp"

namespace weir::cli {
namespace {

struct Options {
  TraceOptions input;
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> process;
  std::optional<std::uint64_t> thread;
  std::vector<std::string> functions;
  std::vector<std::string> files;
  std::string from;
  std::string to;
  bool failed = false;
  std::optional<std::uint64_t> limit;
  std::string order = "time";
  std::vector<std::string> columns;
  bool names = false;
  bool json = false;
  bool csv = false;
  std::string perfetto;
};

constexpr std::size_t kPiece = std::size_t{1} << 16;

Result<trace::Selection> selection(const Options& options, const trace::TraceFile& trace) {
  trace::Selection chosen;
  // Without MPI the processes are counted.
  const bool ranked = std::any_of(trace.processes().begin(), trace.processes().end(),
                                  [](const trace::ProcessInfo& one) { return one.rank >= 0; });
  if (ranked)
    chosen.rank = options.rank;
  else if (options.rank)
    chosen.process = static_cast<std::size_t>(*options.rank);
  chosen.number = options.process;
  chosen.thread = options.thread;
  chosen.functions = options.functions;
  chosen.files = options.files;
  chosen.failed = options.failed;
  chosen.salvage = options.input.salvage;
  chosen.by_process = options.order == "process";
  for (const auto& [flag, text, time] : {std::tuple("--from", &options.from, &chosen.from_ns),
                                         std::tuple("--to", &options.to, &chosen.to_ns)}) {
    if (text->empty()) continue;
    const auto parsed = parse_duration(*text);
    if (!parsed) return parsed.error().in(flag);
    *time = parsed->count;
  }
  if (const auto good = check(chosen, trace); !good) return good.error();
  return chosen;
}

Result<TextColumns> text_columns(const Options& options) {
  TextColumns columns;
  columns.names = options.names;
  if (options.columns.empty()) return columns;
  columns.time = columns.process = columns.thread = columns.duration = false;
  for (const std::string& name : options.columns) {
    if (name == "time")
      columns.time = true;
    else if (name == "process")
      columns.process = true;
    else if (name == "thread")
      columns.thread = true;
    else if (name == "duration")
      columns.duration = true;
    else if (name != "call")
      return Error{Errc::usage,
                   fmt::format("--columns: '{}' is none of time, process, thread, call, duration", name)};
  }
  return columns;
}

Result<std::unique_ptr<DumpFormat>> format_of(const Options& options, const trace::TraceFile& trace) {
  if (options.json) return json_format(trace);
  if (options.csv) return csv_format(trace);
  if (!options.perfetto.empty()) {
    if (trace.timing() == trace::TimingMode::off)
      return Error{Errc::usage, "a trace without times has no timeline"}.with_remedy(
          "trace with --timing lossless");
    return perfetto_format(trace);
  }
  const auto columns = text_columns(options);
  if (!columns) return columns.error();
  return text_format(trace, *columns);
}

// Hands the formatted records on in pieces; `give` says whether more is wanted.
template <class Give>
Result<void> dump(const trace::TraceFile& trace, const trace::Selection& chosen, std::uint64_t limit,
                  DumpFormat& format, Give&& give) {
  fmt::memory_buffer buffer;
  Progress progress("reading", trace.records());
  trace::Records records(trace, chosen);
  trace::Records::Item item;
  std::uint64_t seen = 0;
  std::uint64_t told = 0;
  const auto flush = [&]() -> Result<bool> {
    auto more = give({buffer.data(), buffer.size()});
    buffer.clear();
    progress.advance(seen - told);
    told = seen;
    if (const auto go_on = check_interrupt(); !go_on) return go_on.error();
    return more;
  };
  format.begin(buffer);
  while (seen < limit && records.next(item)) {
    ++seen;
    format.add(buffer, item);
    if (buffer.size() < kPiece) continue;
    const auto more = flush();
    if (!more) return more.error();
    if (!*more) return {};
  }
  format.end(buffer);
  const auto last = flush();
  if (!last) return last.error();
  warn_left_out(records.damage());
  if (records.error()) return records.error()->with_remedy("read the rest with --salvage");
  return {};
}

Result<int> run_dump(const Options& options, Output& out) {
  const auto trace = open_trace(options.input);
  if (!trace) return trace.error();
  const auto chosen = selection(options, *trace);
  if (!chosen) return chosen.error();
  const auto format = format_of(options, *trace);
  if (!format) return format.error();
  const std::uint64_t limit = options.limit.value_or(~std::uint64_t{0});
  if (options.perfetto.empty()) {
    const auto done = dump(*trace, *chosen, limit, **format, [&](std::string_view text) -> Result<bool> {
      out.write(text);
      return !out.closed();
    });
    if (!done) return done.error();
    return 0;
  }
  auto file = AtomicFile::create(options.perfetto);
  if (!file) return file.error();
  const auto done = dump(*trace, *chosen, limit, **format, [&](std::string_view text) -> Result<bool> {
    if (const auto written = file->write(as_bytes(text)); !written)
      return written.error().in(options.perfetto);
    return true;
  });
  if (!done) return done.error();
  if (const auto kept = file->commit(); !kept) return kept.error();
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_trace_argument(app, options->input);
  app.add_option("--rank", options->rank,
                 "only the process with this rank; without MPI counted from 0 as weir stat lists them")
      ->check(CLI::NonNegativeNumber)
      ->type_name("R");
  app.add_option("--process", options->process, "only the process with this number")->type_name("PID");
  app.add_option("--thread", options->thread, "only the thread with this number")->type_name("TID");
  app.add_option("--function", options->functions,
                 "only this function, or those that match: 'p*write*'; may be given again")
      ->type_name("F")
      ->allow_extra_args(false);
  app.add_option("--file", options->files,
                 "only calls on files whose absolute name matches; without a '/' the last part of it; may be "
                 "given again")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option("--from", options->from, "only calls that ended at or after this time of the trace")
      ->type_name("TIME");
  app.add_option("--to", options->to, "only calls that began before this time: 1.5s, 200ms")
      ->type_name("TIME");
  app.add_flag("--failed", options->failed, "only calls that failed");
  app.add_option("--limit", options->limit, "stop after so many records")->type_name("N");
  add_choice(app, "--order", options->order, {"time", "process"},
             "all streams by start time (default), or one after the other in less memory");
  app.add_option("--columns", options->columns, "of the text: time,process,thread,call,duration")
      ->type_name("C,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--names", options->names, "name the arguments in the text");
  auto* const json = app.add_flag("--json", options->json, "print one JSON object per line");
  auto* const csv = app.add_flag("--csv", options->csv, "print comma-separated values with a header");
  auto* const perfetto =
      app.add_option("--perfetto", options->perfetto, "write a timeline for ui.perfetto.dev to FILE")
          ->type_name("FILE");
  json->excludes(csv)->excludes(perfetto);
  csv->excludes(perfetto);
  add_salvage_flag(app, options->input);
  return [options](Output& out) { return run_dump(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir dump run.trace | less", "every call of every process, in order"},
    Example{"weir dump run.trace --rank 0 --file '/scratch/*.h5' --function 'p*write*'",
            "who writes where in these files, on one process"},
    Example{"weir dump run.trace --failed --from 1.5s --to 2s", "what went wrong in that half second"},
    Example{"weir dump run.trace --perfetto run.json", "a timeline; open it in ui.perfetto.dev"},
};

}  // namespace

const Command kDump = {
    .name = "dump",
    .summary = "the calls of a trace: as text, JSON lines, CSV or a timeline",
    .examples = kExamples,
    .define = define,
    .notes =
        "A line reads: time since the first call in seconds, process, thread, the call with its result, and "
        "how "
        "long it took. Calls made inside another are indented under it. '…' stands for what a trace does not "
        "keep, such as the data itself.",
};

}  // namespace weir::cli
