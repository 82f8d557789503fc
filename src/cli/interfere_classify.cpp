#include <array>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "cli/interfere.hpp"
#include "cli/trace_options.hpp"
#include "interference/classify.hpp"
#include "interference/slices.hpp"

namespace weir::cli {
namespace {

struct Options {
  TraceOptions input;
  std::string under;
  bool json = false;
};

void print(const interference::Class& found, Output& out) {
  out.print("pattern     {}\n", interference::name(found.pattern));
  if (found.pattern != interference::WritePattern::none)
    out.print("chunk       {}\n", format_bytes(found.chunk));
  out.print("written     {} to {} files by {} processes in {}\n", format_bytes(found.written),
            format_count(found.files), format_count(found.processes),
            format_duration(Nanoseconds(static_cast<std::int64_t>(found.duration_s * 1e9))));
  out.print("read        {}\n", format_bytes(found.read));
  out.print("metadata    {} operations a second\n", number(found.metadata_per_s, 3));
  out.print("duty        {:.0f} %{}\n", 100 * found.duty,
            found.period_s ? fmt::format(", a phase of writing every {} s", number(*found.period_s, 3)) : "");
  out.write("\nbecause\n");
  for (const std::string& line : found.evidence) out.print("  {}\n", line);
}

Result<interference::Class> from_trace(const Options& options, const interference::ClassifyOptions& how) {
  const auto trace = open_trace(options.input);
  if (!trace) return trace.error();
  semantics::RebuildOptions rebuilding;
  rebuilding.salvage = options.input.salvage;
  const auto accesses = semantics::rebuild({&*trace}, rebuilding);
  if (!accesses) return accesses.error().in(options.input.path);
  return interference::classify(*accesses, how);
}

Result<interference::Class> from_slices(const Options& options) {
  if (!options.under.empty())
    return Error{Errc::usage, "slices keep no names of files"}.in("--under").with_remedy(
        "classify a trace: weir trace --out run -- PROGRAM");
  std::vector<std::string> notes;
  const auto processes = interference::read_process_slices(options.input.path, notes);
  for (const std::string& note : notes) warn("{}", note);
  if (!processes) return processes.error();
  return interference::classify(*processes);
}

Result<int> run_classify(const Options& options, Output& out) {
  interference::ClassifyOptions how;
  if (!options.under.empty()) how.under = std::filesystem::absolute(options.under).lexically_normal();
  const bool slices = interference::holds_slices(options.input.path);
  const auto classified = slices ? from_slices(options) : from_trace(options, how);
  if (!classified) return classified.error();
  const interference::Class& found = *classified;
  if (options.json) {
    Json document = json_document("interfere-classify");
    document["trace"] = slices ? Json(nullptr) : Json(options.input.path);
    document["slices"] = slices ? Json(options.input.path) : Json(nullptr);
    document["under"] = how.under.empty() ? Json(nullptr) : Json(how.under);
    document["class"] = to_json(found);
    out.json(document);
  } else {
    print(found, out);
  }
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_trace_argument(app, options->input);
  app.add_option("--under", options->under, "only files below this directory")->type_name("DIR");
  add_salvage_flag(app, options->input);
  add_json_flag(app, options->json);
  return [options](Output& out) { return run_classify(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir trace --out run -- mpirun -n 4 ./app", "record the program first"},
    Example{"weir interfere classify run", "which write pattern it has, and why"},
    Example{"weir interfere classify run --under /scratch/me --json > app.json",
            "only what goes to that storage; weir interfere advise reads the file"},
    Example{"weir interfere classify sim.slices", "from what weir interfere slices counted"},
};

}  // namespace

const Command kInterfereClassify = {
    .name = "classify",
    .summary = "name the write pattern of a program, its chunk size and its rhythm",
    .examples = kExamples,
    .define = define,
    .notes =
        "open_write_close: many files, each written in one go and closed; the chunk is the file. write_seek: "
        "seeks "
        "between writes; the chunk is what lies between two seeks. aggregate_write: files that grow; the "
        "chunk is one "
        "write. mixed: none of them has 70 % of the bytes.\n"
        "Takes a trace, or a directory of slices: those keep sums only, so that chunks are means and all "
        "files "
        "count.",
};

}  // namespace weir::cli
