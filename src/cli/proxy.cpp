#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "base/units.hpp"
#include "cli/commands.hpp"
#include "cli/trace_options.hpp"
#include "proxy/emit.hpp"

namespace weir::cli {
namespace {

struct ProxyOptions {
  TraceOptions trace;
  std::string out;
};

Result<int> run_proxy(const ProxyOptions& options, Output& out) {
  const auto trace = open_trace(options.trace);
  if (!trace) return trace.error();
  const auto plan = proxy::make_plan(*trace);
  if (!plan) return plan.error();
  const std::string text = proxy::write_program(*plan);
  if (const auto written = replace_file(options.out, as_bytes(text)); !written) return written.error();
  std::uint64_t calls = 0;
  for (const proxy::ProcessPlan& process : plan->processes)
    for (const proxy::StreamPlan& stream : process.streams) calls += stream.calls;
  out.print("{}: {} for {} calls of {} process{}\n", options.out, format_bytes(Bytes{text.size()}), format_count(calls),
            plan->processes.size(), plan->processes.size() == 1 ? "" : "es");
  for (const std::string& one : plan->left_out) out.print("left out: {}\n", one);
  out.print("{}\n", proxy::compile_command(*plan, options.out));
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<ProxyOptions>();
  add_trace_argument(app, options->trace);
  app.add_option("--out", options->out, "the program's source file")->required()->type_name("FILE");
  return [options](Output& out) { return run_proxy(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir proxy run.trace --out app.cpp", "a program that makes the calls of the trace again"},
};

}  // namespace

const Command kProxy = {
    .name = "proxy",
    .summary = "a program that makes the calls of a trace again, without their data",
    .examples = kExamples,
    .define = define,
};

}  // namespace weir::cli
