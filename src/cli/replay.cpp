#include "proxy/replay.hpp"

#include <array>
#include <memory>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/unique_fd.hpp"
#include "cli/commands.hpp"
#include "cli/trace_options.hpp"

namespace weir::cli {
namespace {

struct Options {
  TraceOptions trace;
  proxy::ReplayOptions replay;
};

// The trace is opened above the numbers that the program's descriptors had: those must be free, and stay
// closed where the program found them closed.
Result<trace::TraceFile> open_above(const TraceOptions& options) {
  constexpr std::size_t kLow = 256;
  std::vector<UniqueFd> low;
  while (low.size() < kLow) {
    auto one = open_file("/dev/null", O_RDONLY | O_CLOEXEC);
    if (!one) break;
    low.push_back(std::move(*one));
  }
  return open_trace(options);
}

Result<int> run_replay(const Options& options, Output& /*out*/) {
  const auto trace = open_above(options.trace);
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
