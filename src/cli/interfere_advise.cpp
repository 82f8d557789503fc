#include <algorithm>
#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/units.hpp"
#include "cli/bench.hpp"
#include "cli/interfere.hpp"
#include "interference/advice.hpp"

namespace weir::cli {
namespace {

using interference::Advice;
using interference::Expected;
using interference::PairAdvice;

struct Options {
  std::string matrix;
  std::vector<std::string> programs;
  bool disturbed_too = false, json = false;
};

std::string loss(const Expected& expected) {
  return fmt::format("{:.0f} [{:.0f}, {:.0f}]", expected.percent, expected.low, expected.high);
}

std::string verdict(const Advice& advice, std::size_t pair) {
  const bool apart = advice.pairs[pair].keep_apart();
  if (std::ranges::find(advice.together, pair) != advice.together.end())
    return apart ? "together, if any" : "together";
  const bool worst = std::ranges::find(advice.worst, pair) != advice.worst.end();
  return apart || worst ? "keep apart" : "";
}

void print(const Advice& advice, Output& out) {
  Table programs({{"program"},
                  {"pattern"},
                  {"chunk", Table::right},
                  {"duty", Table::right},
                  {"loses % with all others", Table::right}});
  for (std::size_t i = 0; i < advice.programs.size(); ++i) {
    const auto& program = advice.programs[i];
    programs.row({program.name, std::string(interference::name(program.found.pattern)),
                  format_bytes(program.found.chunk), fmt::format("{:.0f} %", 100 * program.found.duty),
                  loss(advice.all_at_once[i])});
  }
  out.table(programs);
  Table pairs({{"pair"},
               {"first loses %", Table::right},
               {"second loses %", Table::right},
               {"I/O takes longer by", Table::right},
               {"apart saves %", Table::right},
               {"advice"}});
  for (std::size_t i = 0; i < advice.pairs.size(); ++i) {
    const PairAdvice& pair = advice.pairs[i];
    pairs.row({fmt::format("{} + {}", advice.programs[pair.first].name, advice.programs[pair.second].name),
               loss(pair.first_loss), loss(pair.second_loss),
               fmt::format("{:.1f} x [{:.1f}, {:.1f}]", pair.slowdown, pair.slowdown_low, pair.slowdown_high),
               loss(pair.gain_apart()), verdict(advice, i)});
  }
  out.write("\n");
  out.table(pairs);
  if (!advice.together.empty())
    out.print(
        "\nTwo at a time as advised, I/O takes {:.1f} times as long as alone; at worst {:.1f} times: {:.0f} "
        "% of that is "
        "saved.\n",
        advice.slowdown_together, advice.slowdown_worst,
        100 * (1 - advice.slowdown_together / advice.slowdown_worst));
  out.write("Apart is at different times, or on different targets of the storage.\n");
}

Result<int> run_advise(const Options& options, Output& out) {
  std::vector<interference::Program> programs;
  for (const std::string& text : options.programs) {
    auto program = interference::parse_program(text);
    if (!program) return program.error().in("--program");
    programs.push_back(*std::move(program));
  }
  auto opened = open_campaign(options.matrix);
  if (!opened) return opened.error();
  const auto cells =
      interference::read_cells(opened->store, opened->number, {.disturbed_too = options.disturbed_too});
  if (!cells) return cells.error();
  const auto advice = interference::advise(*cells, std::move(programs));
  if (!advice) return advice.error();
  if (options.json) {
    Json document = json_document("interfere-advise");
    document["store"] = opened->store.file().string();
    document["campaign"] = opened->number;
    document.update(to_json(*advice));
    out.json(document);
  } else {
    print(*advice, out);
  }
  for (const std::string& note : advice->notes) warn("{}", note);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--matrix", options->matrix,
                 "what weir interfere matrix kept of this storage; DB#2 for its second campaign")
      ->type_name("DB")
      ->required();
  app.add_option("--program", options->programs,
                 "NAME=FILE as classify --json wrote it, or NAME=PATTERN:CHUNK[:DUTY]; two or more")
      ->type_name("NAME=...")
      ->allow_extra_args(false)
      ->required();
  app.add_flag("--disturbed-too", options->disturbed_too, "count runs that others disturbed");
  add_json_flag(app, options->json);
  return [options](Output& out) { return run_advise(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir interfere advise --matrix storage.db --program sim=sim.json --program viz=viz.json",
            "what two traced programs would lose beside each other"},
    Example{"weir interfere advise --matrix storage.db --program a=owc:1M --program b=ws:4M --program "
            "c=aw:1M --program "
            "d=aw:16M:25%",
            "which of four programs should run together"},
};

}  // namespace

const Command kInterfereAdvise = {
    .name = "advise",
    .summary = "which programs may share this storage, and which should not",
    .examples = kExamples,
    .define = define,
    .notes =
        "Losses are interpolated between measured chunk sizes and go with the signal's duty. Where the "
        "matrix has equal "
        "chunks only, programs with unequal ones get an interval that spans both sizes.\n"
        "With several programs at once, what each takes for itself adds up: an assumption, not a "
        "measurement.",
};

}  // namespace weir::cli
