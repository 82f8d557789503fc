#include "cli/check.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/progress.hpp"
#include "cli/commands.hpp"
#include "cli/trace_options.hpp"
#include "consistency/file_system.hpp"
#include "consistency/model_file.hpp"
#include "semantics/file_policy.hpp"

namespace weir::cli {

namespace {

struct Options {
  std::vector<std::string> paths;
  std::string model;
  std::string file_system;
  std::string policy;
  bool all_pairs = false;
  bool salvage = false;
  bool json = false;
  std::size_t top = 10;
};

struct Asked {
  std::optional<consistency::Model> model;
  std::string name;
  std::string note;
};

Result<Asked> asked_model(const Options& options) {
  if (!options.file_system.empty()) {
    const consistency::FileSystem* const found = consistency::find_file_system(options.file_system);
    if (found == nullptr)
      return Error{Errc::usage, fmt::format("no file system '{}' is known", options.file_system)}.with_remedy(
          "known are " + consistency::list_of_file_systems());
    return Asked{found->model, found->title, found->note};
  }
  if (options.model.empty()) return Asked{};
  if (const consistency::Model* const found = consistency::find_model(options.model); found != nullptr)
    return Asked{*found, found->name, {}};
  const bool is_file = options.model.find_first_of("/.") != std::string::npos;
  if (!is_file)
    return Error{Errc::usage, fmt::format("no model '{}' is built in", options.model)}.with_remedy(
        "models are " + consistency::list_of_models() +
        ", or a file of your own (its name with a '.' or '/')");
  auto own = consistency::read_model(options.model);
  if (!own) return own.error();
  return Asked{*own, own->name, {}};
}

struct Input {
  std::vector<trace::TraceFile> traces;
  std::uint64_t records = 0;
};

Result<Input> open_traces(const Options& options) {
  Input input;
  for (const std::string& path : options.paths) {
    auto trace = open_trace({path, options.salvage});
    if (!trace) return trace.error();
    warn_of_gaps(*trace);
    input.records += trace->records();
    input.traces.push_back(*std::move(trace));
  }
  return input;
}

Result<semantics::Accesses> accesses_of(const Input& input, const Options& options) {
  std::vector<const trace::TraceFile*> traces;
  for (const trace::TraceFile& trace : input.traces) traces.push_back(&trace);
  semantics::RebuildOptions how;
  how.salvage = options.salvage;
  Progress progress("reading", input.records);
  how.advance = [&](std::uint64_t count) { progress.advance(count); };
  auto accesses = semantics::rebuild(traces, how);
  if (!accesses) return accesses.error().with_remedy("check what is readable with --salvage");
  return accesses;
}

semantics::Verdict verdict_of(const semantics::Accesses& accesses,
                              const std::vector<consistency::Model>& others,
                              const semantics::ProgramOrder& order, const Options& options) {
  semantics::VerdictOptions judging;
  judging.conflicts.all_pairs = options.all_pairs;
  Progress progress("checking", accesses.access_count);
  judging.advance = [&](std::uint64_t count) { progress.advance(count); };
  return semantics::judge(accesses, others, order, judging);
}

Result<int> run_check(const Options& options, Output& out) {
  const auto asked = asked_model(options);
  if (!asked) return asked.error();
  const auto input = open_traces(options);
  if (!input) return input.error();
  const auto accesses = accesses_of(*input, options);
  if (!accesses) return accesses.error();
  const semantics::ProgramOrder order(*accesses);

  std::vector<consistency::Model> others;
  std::optional<std::size_t> index;
  if (asked->model) {
    const auto built_in = consistency::built_in_models();
    const auto same = std::find(built_in.begin(), built_in.end(), *asked->model);
    index = static_cast<std::size_t>(same - built_in.begin());
    if (same == built_in.end()) others.push_back(*asked->model);
  }
  const semantics::Verdict verdict = verdict_of(*accesses, others, order, options);
  const semantics::NameFindings names = semantics::find_name_dependencies(*accesses, order, options.top);
  const CheckView view{*accesses,   verdict,           order,      names, index, asked->name,
                       asked->note, options.all_pairs, options.top};
  if (!options.policy.empty())
    if (const auto written =
            replace_file(options.policy, as_bytes(semantics::file_policy(*accesses, verdict).text()));
        !written)
      return written.error();
  if (options.json)
    out.json(check_json(view));
  else
    print_check(view, out);
  if (index) return view.suffices(*index) ? 0 : 1;
  return verdict.races == 0 ? 0 : 1;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("DIR", options->paths,
                 "what 'weir trace' wrote; several: a workflow, in the order in which they ran")
      ->required();
  app.add_option("--model", options->model,
                 "ask about one: " + consistency::list_of_models() + ", or a file of your own")
      ->type_name("MODEL");
  app.add_option("--fs", options->file_system,
                 "ask about the model of a file system (lustre, nfs, unifyfs, ...)")
      ->type_name("NAME")
      ->excludes("--model");
  app.add_option("--policy", options->policy, "write which model each file needs, for 'weir run --policy'")
      ->type_name("OUT");
  app.add_flag("--all-pairs", options->all_pairs,
               "judge and count every pair of overlapping accesses; quadratic where many overlap");
  app.add_option("--top", options->top, "files and pairs to list (10)")->type_name("N");
  add_json_flag(app, options->json);
  app.add_flag("--salvage", options->salvage, "read what is readable of a damaged trace");
  return [options](Output& out) { return run_check(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir check run.trace",
            "which consistency the program needs, and what is in the way of a weaker one"},
    Example{"weir check run.trace --fs nfs", "whether it runs correctly there; exit status 1 if not"},
    Example{"weir check run.trace --model session", "the same for a model"},
    Example{"weir check run.trace --model site.toml", "for a model of your own: docs/guide/consistency.md"},
    Example{"weir check simulate.trace analyse.trace", "two programs, the second reads what the first wrote"},
    Example{"weir check run.trace --policy run.policy", "the weakest model for each file, for 'weir run'"},
    Example{"weir check run.trace --json | jq -r .weakest_model", "one word for a script"},
};

}  // namespace

const Command kCheck = {
    .name = "check",
    .summary = "which consistency a traced program needs, and whether a file system gives it",
    .examples = kExamples,
    .define = define,
    .notes =
        "S are conflicts of a process with itself, D of two; WAW write after write, RAW read after write. "
        "They are "
        "accesses that may miss the last write to their bytes, with --all-pairs pairs of accesses. What "
        "nothing "
        "orders is a race, and no model suffices. Exit status 1: the model asked for does not suffice, or "
        "there are "
        "races. File systems: local, lustre, gpfs, beegfs, gekkofs, batchfs, orangefs, pvfs2, unifyfs, "
        "bscfs, "
        "symphonyfs, burstfs, nfs, afs, ime, gfarm, plfs, echofs, marfs, weir-posix, weir-posix-lock, "
        "weir-commit, "
        "weir-session, weir-eventual.",
};

}  // namespace weir::cli
