#include "proxy/replay.hpp"

#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/trace_options.hpp"

namespace weir::cli {
namespace {

struct Options {
  TraceOptions trace;
  proxy::ReplayOptions replay;
};

Result<int> run_replay(const Options& options, Output& /*out*/) {
  const auto trace = open_trace(options.trace);
  if (!trace) return trace.error();
  const auto plan = proxy::make_plan(*trace);
  if (!plan) return plan.error();
  for (const std::string& one : plan->left_out) fmt::print(stderr, "weir replay: left out: {}\n", one);
  return proxy::replay(*plan, options.replay);
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_trace_argument(app, options->trace);
  app.add_option("--root", options->replay.root, "its files are made below this directory, which must be new")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_flag("--original", options->replay.original, "work on the original files, by their own names");
  app.add_flag("--output", options->replay.output, "show what is printed; else it goes to /dev/null");
  app.add_option("--think-time", options->replay.think,
                 "pause between calls as the program did, so many times as long")
      ->type_name("FACTOR");
  return [options](Output& out) { return run_replay(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir replay run.trace --root /scratch/r",
            "make the calls of the trace again, on files below /scratch/r"},
    Example{"weir replay run.trace --root /scratch/r2 --think-time 1", "with the pauses between them"},
};

}  // namespace

const Command kReplay = {
    .name = "replay",
    .summary = "make the calls of a trace again, here and now",
    .examples = kExamples,
    .define = define,
    .notes =
        "Does what the program of 'weir proxy' does, without a compiler. Results are compared with the "
        "recorded "
        "ones; exit 1 if any differs. Of traces with MPI ranks write a program with 'weir proxy'.",
};

}  // namespace weir::cli
