#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "base/units.hpp"
#include "campaign/grid.hpp"
#include "cli/bench.hpp"

namespace weir::cli {
namespace {

struct Options {
  std::string grid;
  bool list = false, json = false;
};

Result<int> look_at(const Options& options, Output& out) {
  const auto grid = campaign::read_grid(options.grid);
  if (!grid) return grid.error();
  const auto size = campaign::size_of(*grid);
  if (!size) return size.error().in(options.grid);
  if (options.json) {
    Json document = json_document("bench-grid");
    document["name"] = grid->name;
    document["combinations"] = size->product;
    document["valid"] = size->valid;
    document["configurations"] = size->designed;
    document["runs"] = grid->runs;
    Json factors = Json::object();
    for (const campaign::Factor& factor : grid->factors) {
      Json levels = Json::array();
      for (const campaign::Level& level : factor.levels) levels.push_back(level.text);
      factors[factor.name] = std::move(levels);
    }
    document["factors"] = std::move(factors);
    out.json(document);
    return 0;
  }
  out.print("{}: {} combinations, {} meet the constraints, {} configurations are run, {} times each\n\n",
            grid->name, format_count(size->product), format_count(size->valid), format_count(size->designed),
            format_count(grid->runs));
  Table table({{"factor"}, {"levels", Table::right}, {"", Table::shrinks}});
  for (const campaign::Factor& factor : grid->factors) {
    std::string levels;
    for (const campaign::Level& level : factor.levels) levels += (levels.empty() ? "" : ", ") + level.text;
    table.row({factor.name, format_count(factor.levels.size()), levels});
  }
  out.table(table);
  if (!options.list) return 0;
  const auto configurations = campaign::enumerate(*grid);
  if (!configurations) return configurations.error().in(options.grid);
  out.write("\n");
  for (const campaign::Configuration& configuration : *configurations) {
    std::string line;
    for (std::size_t i = 0; i < configuration.size(); ++i)
      line += fmt::format("{}{}={}", i == 0 ? "" : " ", grid->factors[i].name,
                          grid->factors[i].levels[configuration[i]].text);
    out.print("{}\n", line);
  }
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("GRID", options->grid, "a grid file, TOML or JSON")->required();
  app.add_flag("--list", options->list, "every configuration");
  add_json_flag(app, options->json);
  return [options](Output& out) { return look_at(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir bench grid examples/moana.toml", "its factors and how many configurations they make"},
    Example{"weir bench grid examples/quick.toml --list", "each of them"},
};

}  // namespace

const Command kBenchGrid = {
    .name = "grid",
    .summary = "what a grid file asks for, before anything is run",
    .examples = kExamples,
    .define = define,
};

}  // namespace weir::cli
