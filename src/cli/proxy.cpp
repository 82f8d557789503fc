#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/units.hpp"
#include "cli/commands.hpp"
#include "cli/proxy_comparison.hpp"
#include "cli/trace_options.hpp"
#include "proxy/emit.hpp"

namespace weir::cli {
namespace {

struct ProxyOptions {
  TraceOptions trace;
  std::string out;
  std::string verify;
  std::string root;
  bool strict = false;
  bool json = false;
};

Json about(const proxy::Plan& plan, const ProxyOptions& options, std::size_t bytes, std::uint64_t calls) {
  Json document = json_document("proxy");
  document["source"] = options.out;
  document["source_bytes"] = bytes;
  document["trace_bytes"] = plan.trace->file_bytes();
  document["calls"] = calls;
  document["processes"] = plan.processes.size();
  document["needs"] = plan.needs.size();
  document["left_out"] = plan.left_out;
  document["compile"] = proxy::compile_command(plan, options.out);
  return document;
}

Result<int> write_proxy(const trace::TraceFile& trace, const ProxyOptions& options, Output& out) {
  const auto plan = proxy::make_plan(trace);
  if (!plan) return plan.error();
  const std::string text = proxy::write_program(*plan);
  if (const auto written = replace_file(options.out, as_bytes(text)); !written) return written.error();
  const std::uint64_t calls = plan->calls();
  if (options.json) {
    out.json(about(*plan, options, text.size(), calls));
    return 0;
  }
  out.print("{}: {} of source for {} calls of {} process{}\n", options.out, format_bytes(Bytes{text.size()}),
            format_count(calls), plan->processes.size(), plan->processes.size() == 1 ? "" : "es");
  for (const std::string& one : plan->left_out) out.print("left out: {}\n", one);
  out.print("compile: {}\n", proxy::compile_command(*plan, options.out));
  return 0;
}

Result<int> run_proxy(const ProxyOptions& options, Output& out) {
  if (options.out.empty() == options.verify.empty())
    return Error{Errc::usage,
                 "give --out FILE to write a program, or --verify TRACE to compare with its trace"};
  const auto trace = open_trace(options.trace);
  if (!trace) return trace.error();
  warn_of_gaps(*trace);
  if (!options.out.empty()) return write_proxy(*trace, options, out);
  const auto made = trace::TraceFile::open(options.verify);
  if (!made) return made.error();
  const auto comparison = proxy::compare(*trace, *made, {.root = options.root});
  if (!comparison) return comparison.error();
  return print_comparison(*comparison, options.strict, options.json, out);
}

Run define(CLI::App& app) {
  auto options = std::make_shared<ProxyOptions>();
  add_trace_argument(app, options->trace);
  app.add_option("--out", options->out, "write the program to this file")->type_name("FILE");
  app.add_option("--verify", options->verify, "compare with this trace, of the program or of weir replay")
      ->type_name("TRACE");
  app.add_option("--root", options->root,
                 "with --verify: where the program's files were, if its command line does not say so")
      ->type_name("DIR");
  app.add_flag("--strict", options->strict,
               "with --verify: also which requests had completed must be the same");
  add_json_flag(app, options->json);
  return [options](Output& out) { return run_proxy(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir proxy run.trace --out app.cpp",
            "a program that makes the calls of the trace again, and how to compile it"},
    Example{"mpirun -n 8 ./app --root /scratch/p --think-time",
            "run it, on files of its own, with the recorded pauses"},
    Example{"weir trace --out again -- mpirun -n 8 ./app", "trace it"},
    Example{"weir proxy run.trace --verify again",
            "whether it made the same calls in the same order; exit 1 if not"},
};

}  // namespace

const Command kProxy = {
    .name = "proxy",
    .summary = "a program that makes the calls of a trace again, without its data",
    .examples = kExamples,
    .define = define,
    .notes =
        "The program has a function for each kind of call and each rule of the grammar: its size goes with "
        "that of "
        "the compressed trace, not with the number of calls. It works on files under --root (proxy.root), "
        "which it "
        "makes as large as they need to be; the originals are not touched. Results are compared with the "
        "recorded "
        "ones; it ends with 1 if any differs. See docs/guide/tracing.md for what is not made again.",
};

}  // namespace weir::cli
