#include "cli/stat.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "base/progress.hpp"
#include "cli/commands.hpp"
#include "cli/communication.hpp"
#include "cli/trace_options.hpp"
#include "trace/rank_gaps.hpp"

namespace weir::cli {

std::uint64_t StatView::span_ns() const {
  std::int64_t last = 0;
  for (const trace::ProcessInfo& process : trace.processes())
    for (const trace::StreamInfo& stream : process.streams)
      for (const trace::BlockInfo& block : stream.blocks) last = std::max(last, block.last_end_ns);
  return static_cast<std::uint64_t>(last);
}

namespace {

std::uint64_t sum(const trace::TraceFile& trace, std::uint64_t trace::StreamInfo::*field) {
  std::uint64_t all = 0;
  for (const trace::ProcessInfo& process : trace.processes())
    for (const trace::StreamInfo& stream : process.streams) all += stream.*field;
  return all;
}

template <class Key>
std::vector<const trace::FileTally*> top_files(const StatView& view, Key&& key) {
  std::vector<const trace::FileTally*> files;
  for (const trace::FileTally& file : view.summary.files)
    if (key(file.tally) > 0) files.push_back(&file);
  const std::size_t count = std::min(view.top, files.size());
  std::partial_sort(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(count), files.end(),
                    [&](const trace::FileTally* a, const trace::FileTally* b) {
                      if (key(a->tally) != key(b->tally)) return key(a->tally) > key(b->tally);
                      return a->name < b->name;
                    });
  files.resize(count);
  return files;
}

}  // namespace

std::uint64_t StatView::lost() const {
  const auto elsewhere = trace.facts().find("lost_without_lane");
  const bool known = elsewhere != trace.facts().end() && elsewhere->is_number_unsigned();
  return sum(trace, &trace::StreamInfo::lost) + (known ? elsewhere->get<std::uint64_t>() : 0);
}
std::uint64_t StatView::unseen() const { return sum(trace, &trace::StreamInfo::unseen); }

std::uint64_t StatView::changed() const { return sum(trace, &trace::StreamInfo::changed); }

std::uint64_t StatView::ranks() const {
  return static_cast<std::uint64_t>(
      std::count_if(trace.processes().begin(), trace.processes().end(),
                    [](const trace::ProcessInfo& one) { return one.rank >= 0; }));
}

std::uint64_t StatView::process_bytes() const {
  std::uint64_t sum = 0;
  for (const char* const section : {"PROC", "COMM"})
    if (const auto found = trace.section_bytes().find(section); found != trace.section_bytes().end())
      sum += found->second;
  return sum;
}

std::vector<std::string> StatView::warnings() const {
  std::vector<std::string> texts;
  if (const std::uint64_t calls = lost(); calls > 0)
    texts.push_back(fmt::format("{} calls were not recorded: the disk was full", calls));
  if (const std::uint64_t calls = unseen(); calls > 0)
    texts.push_back(fmt::format(
        "{} calls of signal handlers came while the recorder was at work and were not recorded", calls));
  if (const std::uint64_t descriptors = changed(); descriptors > 0)
    texts.push_back(
        fmt::format("{} descriptors were closed or replaced unseen, by raw system calls most likely: calls "
                    "on them are missing",
                    descriptors));
  if (const std::uint64_t frames = sum(trace, &trace::StreamInfo::damaged); frames > 0)
    texts.push_back(
        fmt::format("{} pieces of what the processes left could not be read when it was merged", frames));
  const trace::RankGaps gaps = trace::rank_gaps(trace.processes());
  if (!gaps.missing.empty())
    texts.push_back(fmt::format("{} {} left nothing: the trace lacks what they did",
                                gaps.missing.size() == 1 ? "rank" : "ranks",
                                trace::list_of_ranks(gaps.missing)));
  if (!gaps.unfinished.empty())
    texts.push_back(fmt::format("{} {} did not come to MPI_Finalize",
                                gaps.unfinished.size() == 1 ? "rank" : "ranks",
                                trace::list_of_ranks(gaps.unfinished)));
  for (std::string& warning : told_when_merged(trace)) texts.push_back(std::move(warning));
  for (const std::string& damage : trace.damage()) texts.push_back(damage);
  if (!summary.damage.empty())
    texts.push_back(fmt::format("{} of {} records could not be read", trace.records() - summary.total.calls,
                                trace.records()));
  return texts;
}

std::vector<const trace::FileTally*> StatView::files_by_bytes() const {
  return top_files(*this, [](const trace::Tally& tally) { return tally.read_bytes + tally.written_bytes; });
}
std::vector<const trace::FileTally*> StatView::files_by_time() const {
  if (trace.timing() == trace::TimingMode::off)
    return top_files(*this, [](const trace::Tally& tally) { return tally.calls; });
  return top_files(*this, [](const trace::Tally& tally) { return tally.time_ns; });
}

namespace {

struct Options {
  TraceOptions input;
  std::size_t top = 10;
  bool json = false;
  bool matrix = false;
};

Result<int> run_stat(const Options& options, Output& out) {
  const auto trace = open_trace(options.input);
  if (!trace) return trace.error();
  Progress progress("reading", trace->records());
  trace::SummaryOptions how;
  how.salvage = options.input.salvage;
  how.advance = [&](std::uint64_t records) { progress.advance(records); };
  const auto summary = summarize(*trace, how);
  if (!summary) return summary.error().with_remedy("count what is readable with --salvage");
  warn_left_out(summary->damage);
  const StatView view{*trace, *summary, options.top};
  Json document = options.json ? stat_json(view) : Json();
  if (!options.json) print_stat(view, out);
  if (options.matrix) {
    const auto communication = semantics::find_communication(*trace, options.input.salvage);
    if (!communication) return communication.error();
    if (options.json)
      document["communication"] = communication_json(*trace, *communication);
    else
      print_communication(*trace, *communication, options.top, out);
  }
  if (options.json) out.json(document);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_trace_argument(app, options->input);
  app.add_option("--top", options->top, "files and processes to list (10)")->type_name("N");
  app.add_flag("--matrix", options->matrix, "also who sent how many messages and bytes to whom");
  add_json_flag(app, options->json);
  add_salvage_flag(app, options->input);
  return [options](Output& out) { return run_stat(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir stat run.trace",
            "what the program did: calls, bytes and time per function, file and process"},
    Example{"weir stat run.trace --top 50", "more files and processes"},
    Example{"weir stat run.trace --matrix", "also the messages between MPI ranks"},
    Example{"weir stat run.trace --json | jq .written_bytes", "one figure for a script"},
};

}  // namespace

const Command kStat = {
    .name = "stat",
    .summary = "what a trace holds: calls, bytes and time per function, file and process",
    .examples = kExamples,
    .define = define,
    .notes =
        "Time is the sum over all threads, so it may exceed the run's. A call made inside another counts for "
        "its function and its file, and not again for its process.",
};

}  // namespace weir::cli
