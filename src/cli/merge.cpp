#include "trace/merge.hpp"

#include <array>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"
#include "cli/timing_options.hpp"

namespace weir::cli {
namespace {

struct Options {
  std::string directory;
  TimingChoice timing;
  bool keep_live = false;
  bool from_lanes = false;
};

Result<int> run_merge(const Options& options, Output& /*out*/) {
  trace::MergeOptions merging;
  if (const auto good = apply(options.timing, merging); !good) return good.error();
  merging.keep_live = options.keep_live;
  merging.with_parts = !options.from_lanes;
  const auto report = trace::merge_run(options.directory, merging);
  if (!report) return report.error();
  tell("merge", *report);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("DIR", options->directory, "what 'weir trace --out' wrote")->required();
  add_timing_options(app, options->timing);
  app.add_flag("--keep-live", options->keep_live, "keep what the processes wrote beside the merged trace");
  app.add_flag("--from-lanes", options->from_lanes,
               "use nothing of what was merged inside MPI_Finalize; the same bytes");
  return [options](Output& out) { return run_merge(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir merge run1", "one trace of what the processes of a cut-off run left"},
    Example{"weir merge run1 --timing mean", "likewise, with a mean time per call signature"},
};

}  // namespace

const Command kMerge = {
    .name = "merge",
    .summary = "make one trace of what the processes of a run left",
    .examples = kExamples,
    .define = define,
    .notes = "'weir trace' does this by itself when the program ends; this is for runs that were cut off.",
};

}  // namespace weir::cli
