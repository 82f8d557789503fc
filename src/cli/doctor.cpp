#include <algorithm>
#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/color.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/json.hpp"
#include "base/terminal.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "launch/machine.hpp"

namespace weir::cli {
namespace {

using launch::Fact;
using launch::Machine;
using launch::State;

struct Options {
  bool json = false;
  std::vector<std::string> require;
};

constexpr std::array kTopics = {"mpi", "launcher", "ucx", "hdf5", "fuse", "rights", "counters", "buffer"};

Json to_json(const Machine& machine) {
  const auto text_or_null = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  const BuildFacts build = build_facts();
  Json document = json_document("doctor");
  document["weir"] = {{"version", build.version},
                      {"build_type", build.build_type},
                      {"compiler", build.compiler},
                      {"built_with", build.built_with}};
  const launch::Host& host = machine.host;
  document["host"] = {{"name", host.name},     {"system", host.system},
                      {"kernel", host.kernel}, {"processor", host.processor},
                      {"cores", host.cores},   {"memory_bytes", host.memory.count},
                      {"clock", host.clock}};
  document["facts"] = Json::array();
  for (const Fact& fact : machine.facts)
    document["facts"].push_back({{"topic", fact.topic},
                                 {"name", fact.name},
                                 {"state", launch::name(fact.state)},
                                 {"detail", text_or_null(fact.detail)},
                                 {"path", text_or_null(fact.path)},
                                 {"remedy", text_or_null(fact.remedy)}});
  return document;
}

void print_for_people(const Machine& machine, Output& out) {
  const launch::Host& host = machine.host;
  out.print("{}: {}, kernel {}, {}, {} core{}, {} memory, clock {}\n\n", host.name, host.system, host.kernel,
            host.processor, host.cores, host.cores == 1 ? "" : "s", format_bytes(host.memory), host.clock);
  Table table({{"topic"}, {"what"}, {"state"}, {"found", Table::shrinks}});
  std::string topic;
  for (const Fact& fact : machine.facts) {
    const bool first = fact.topic != topic;
    topic = fact.topic;
    std::string found = fact.detail;
    if (found.empty()) found = fact.path;
    table.row({first ? topic : "", fact.name,
               fact.state == State::absent ? "-" : std::string(launch::name(fact.state)), found});
  }
  out.table(table);

  Table advice({{"to mend"}, {"do", Table::shrinks}});
  for (const Fact& fact : machine.facts)
    if (!fact.remedy.empty()) advice.row({fmt::format("{}: {}", fact.topic, fact.name), fact.remedy});
  if (advice.empty()) {
    out.print("\nNothing is missing.\n");
    return;
  }
  out.write("\n");
  out.table(advice);
}

// Error 3 naming what a script asked for and this machine lacks.
Result<void> check_required(const Machine& machine, const std::vector<std::string>& topics) {
  for (const std::string& topic : topics) {
    const Fact* best = nullptr;
    for (const Fact& fact : machine.facts)
      if (fact.topic == topic && (best == nullptr || fact.state < best->state)) best = &fact;
    if (best != nullptr && best->state == State::ok) continue;
    const Error lacking{Errc::lacking, fmt::format("{} is required and {}", topic,
                                                   best == nullptr ? "absent" : launch::name(best->state))};
    return best == nullptr || best->remedy.empty() ? lacking : lacking.with_remedy(best->remedy);
  }
  return {};
}

Result<int> run_doctor(const Options& options, Output& out) {
  const Machine machine = launch::examine_machine();
  if (options.json)
    out.measured_json(to_json(machine));
  else
    print_for_people(machine, out);
  if (auto required = check_required(machine, options.require); !required) return required.error();
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_json_flag(app, options->json);
  app.add_option(
         "--require", options->require,
         "exit 3 unless all of these topics are ok: mpi,launcher,ucx,hdf5,fuse,rights,counters,buffer")
      ->delimiter(',')
      ->type_name("TOPIC,...")
      ->check(CLI::Validator(
          [](std::string& topic) -> std::string {
            if (std::ranges::find(kTopics, topic) != kTopics.end()) return "";
            return fmt::format("'{}' is none of {}", topic, fmt::join(kTopics, ", "));
          },
          ""));
  return [options](Output& out) { return run_doctor(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir doctor",
            "a table of MPI, UCX, HDF5, FUSE, counters, buffer devices and rights, and what to mend"},
    Example{"weir doctor --json", "the same for machines"},
    Example{"weir doctor --require mpi,buffer",
            "for job scripts: exit 3 with the package to install unless both are there"},
};

}  // namespace

const Command kDoctor = {
    .name = "doctor",
    .summary = "what this machine has for Weir to use, what is missing and how to get it",
    .examples = kExamples,
    .define = define,
    .notes =
        "States: ok; limited, a right or a part is lacking; missing, can be installed; - (absent), this "
        "machine "
        "has no such hardware or file system and nothing needs to be done.\n"
        "Nothing is installed, mounted or written.",
};

}  // namespace weir::cli
