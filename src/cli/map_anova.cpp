#include <array>
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "cli/map.hpp"
#include "surface/anova.hpp"

namespace weir::cli {
namespace {

struct Options {
  MapOptions map;
  std::string response_scale = "auto";
  int most_levels = 24;
};

Json anova_json(const surface::MapData& map, const surface::Anova& anova) {
  Json effects = Json::array();
  for (const surface::Effect& effect : anova.effects) {
    Json factors = Json::array();
    for (const std::size_t factor : effect.factors) factors.push_back(map.factors[factor].name);
    effects.push_back({{"factors", std::move(factors)},
                       {"sum_of_squares", json_number(effect.squares)},
                       {"degrees_of_freedom", effect.freedom},
                       {"f", json_number(effect.f)},
                       {"p_value", json_number(effect.p_value)},
                       {"eta_squared", json_number(effect.eta_squared)},
                       {"partial_eta_squared", json_number(effect.partial_eta_squared)},
                       {"omega_squared", json_number(effect.omega_squared)}});
  }
  return {{"key", key_json(map.key)},
          {"configurations", map.size()},
          {"log_response", anova.log_value},
          {"total_sum_of_squares", json_number(anova.total_squares)},
          {"residual_sum_of_squares", json_number(anova.residual_squares)},
          {"residual_degrees_of_freedom", anova.residual_freedom},
          {"explained", json_number(anova.explained)},
          {"effects", std::move(effects)},
          {"notes", anova.notes}};
}

void print_anova(const surface::MapData& map, const surface::Anova& anova, Output& out) {
  out.print("{}{}{}: {} configurations; all effects together explain {:.1f} %\n\n",
            map.key.empty() ? "" : map.name() + ": ", anova.log_value ? "log of " : "", map.response,
            map.size(), 100 * anova.explained);
  Table table({{"effect", Table::shrinks},
               {"share %", Table::right},
               {"ω² %", Table::right},
               {"partial η²", Table::right},
               {"df", Table::right},
               {"F", Table::right},
               {"p", Table::right}});
  for (const surface::Effect& effect : anova.effects)
    table.row({effect.name, fmt::format("{:.2f}", 100 * effect.eta_squared),
               fmt::format("{:.2f}", 100 * effect.omega_squared),
               fmt::format("{:.3f}", effect.partial_eta_squared), fmt::format("{:.0f}", effect.freedom),
               number(effect.f, 4),
               effect.p_value < 1e-4 ? "< 0.0001" : fmt::format("{:.4f}", effect.p_value)});
  table.rule();
  table.row({"the rest", fmt::format("{:.2f}", 100 * (1 - anova.explained)), "", "",
             fmt::format("{:.0f}", anova.residual_freedom), "", ""});
  out.table(table);
  for (const std::string& note : anova.notes) out.print("Note: {}\n", note);
}

Result<int> run_anova(const Options& options, Output& out) {
  const auto input = read_maps(options.map);
  if (!input) return input.error();
  Json document = json_document("map-anova");
  document["input"] = map_input_json(*input, options.map);
  document["maps"] = Json::array();
  bool first = true;
  for (const surface::MapData& map : input->maps) {
    const bool log =
        options.response_scale == "log" || (options.response_scale == "auto" && map.value.minCoeff() > 0);
    const auto anova = surface::analyse_variance(map, log, options.most_levels);
    if (!anova) return anova.error().in(map.name()).in(input->samples.source);
    document["maps"].push_back(anova_json(map, *anova));
    if (options.map.json) continue;
    if (!first) out.write("\n");
    first = false;
    print_anova(map, *anova, out);
  }
  if (options.map.json) out.json(document);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_map_options(app, options->map);
  add_choice(app, "--response-scale", options->response_scale, {"auto", "plain", "log"},
             "analyse the response or its logarithm; auto: the logarithm where all are above 0");
  app.add_option("--most-levels", options->most_levels,
                 "factors with more values are taken in so many groups (24)")
      ->type_name("N")
      ->check(CLI::Range(2, 200));
  return [options](Output& out) { return run_anova(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir map anova runs.csv --factors threads,file_kb,mode --from-runs mb_s",
            "which factors, and which pairs of them, drive the standard deviation"},
};

}  // namespace

const Command kMapAnova = {
    .name = "anova",
    .summary = "which factors matter: first- and second-order effects with their sizes",
    .examples = kExamples,
    .define = define,
    .notes =
        "With hundreds of configurations nearly every effect is significant; the share of the variance (η², "
        "and ω² "
        "without its bias) says which ones matter. Sums of squares are of type II.",
};

}  // namespace weir::cli
