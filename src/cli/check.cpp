#include "cli/check.hpp"

#include <array>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/json.hpp"
#include "base/progress.hpp"
#include "cli/commands.hpp"
#include "cli/trace_options.hpp"
#include "consistency/file_system.hpp"
#include "consistency/model_file.hpp"
#include "semantics/program_order.hpp"
#include "trace/record_text.hpp"

namespace weir::cli {

std::string CheckView::call_text(semantics::Event event) const {
  const semantics::Event local = accesses.local(event);
  trace::RecordReader reader(*accesses.program_of(event.process).trace, local.process, local.thread);
  reader.seek_record(local.record);
  trace::Record record;
  if (!reader.next(record)) return "?";
  fmt::memory_buffer text;
  trace::append_call(text, record);
  return to_string(text);
}

namespace {

struct Options {
  std::vector<std::string> paths;
  std::string model;
  std::string file_system;
  bool all_pairs = false;
  bool salvage = false;
  bool json = false;
  std::size_t top = 10;
};

struct Asked {
  std::optional<consistency::Model> model;
  std::string name;
};

Result<Asked> asked_model(const Options& options) {
  if (!options.file_system.empty()) {
    const consistency::FileSystem* const found = consistency::find_file_system(options.file_system);
    if (found == nullptr)
      return Error{Errc::usage, fmt::format("no file system '{}' is known", options.file_system)}.with_remedy(
          "known are " + consistency::list_of_file_systems());
    return Asked{found->model, found->title};
  }
  if (options.model.empty()) return Asked{};
  if (const consistency::Model* const found = consistency::find_model(options.model); found != nullptr)
    return Asked{*found, found->name};
  const bool is_file = options.model.find_first_of("/.") != std::string::npos;
  if (!is_file)
    return Error{Errc::usage, fmt::format("no model '{}' is built in", options.model)}.with_remedy(
        "models are " + consistency::list_of_models() +
        ", or a file of your own (its name with a '.' or '/')");
  auto own = consistency::read_model(options.model);
  if (!own) return own.error();
  return Asked{*own, own->name};
}

Result<int> run_check(const Options& options, Output& out) {
  const auto asked = asked_model(options);
  if (!asked) return asked.error();
  std::vector<trace::TraceFile> traces;
  std::uint64_t records = 0;
  for (const std::string& path : options.paths) {
    auto trace = open_trace({path, options.salvage});
    if (!trace) return trace.error();
    records += trace->records();
    traces.push_back(*std::move(trace));
  }
  std::vector<const trace::TraceFile*> pointers;
  for (const trace::TraceFile& trace : traces) pointers.push_back(&trace);

  semantics::RebuildOptions how;
  how.salvage = options.salvage;
  Progress reading("reading", records);
  how.advance = [&](std::uint64_t count) { reading.advance(count); };
  const auto accesses = semantics::rebuild(pointers, how);
  if (!accesses) return accesses.error().with_remedy("check what is readable with --salvage");

  std::vector<consistency::Model> others;
  std::optional<std::size_t> index;
  if (asked->model) {
    const auto built_in = consistency::built_in_models();
    for (std::size_t i = 0; i < built_in.size(); ++i)
      if (built_in[i] == *asked->model) index = i;
    if (!index) {
      index = built_in.size();
      others.push_back(*asked->model);
    }
  }
  semantics::VerdictOptions judging;
  judging.conflicts.all_pairs = options.all_pairs;
  Progress checking("checking", accesses->access_count);
  judging.advance = [&](std::uint64_t count) { checking.advance(count); };
  const semantics::TimeOrder order(*accesses);
  const semantics::Verdict verdict = semantics::judge(*accesses, others, order, judging);
  const CheckView done{*accesses, verdict, index, asked->name, options.all_pairs, options.top};
  if (options.json)
    out.json(check_json(done));
  else
    print_check(done, out);
  if (index) return verdict.sufficient[*index] ? 0 : 1;
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
    Example{"weir check simulate.trace analyse.trace", "two programs, the second reads what the first wrote"},
    Example{"weir check run.trace --json | jq -r .weakest_model", "one word for a script"},
};

}  // namespace

const Command kCheck = {
    .name = "check",
    .summary = "which consistency a traced program needs, and whether a file system gives it",
    .examples = kExamples,
    .define = define,
};

}  // namespace weir::cli
