#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"
#include "cli/map_validate.hpp"

namespace weir::cli {
namespace {

using surface::MapData;
using surface::Method;

// Over maps, of the averages over splits.
surface::Average over_maps(const ValidationOutcome& outcome) {
  if (outcome.by_map.size() == 1) return surface::average(outcome.by_map.front());
  std::vector<surface::SplitErrors> means;
  for (const auto& splits : outcome.by_map) {
    surface::SplitErrors one;
    one.are_percent = surface::average(splits).mean;
    means.push_back(std::move(one));
  }
  return surface::average(means);
}

std::string first_failure(const ValidationOutcome& outcome) {
  for (const auto& splits : outcome.by_map)
    for (const auto& split : splits)
      if (!split.failed.empty()) return split.failed;
  return {};
}

// The scaling chosen most often.
std::string usual_scaling(const ValidationOutcome& outcome) {
  std::map<std::string, int> counts;
  for (const auto& splits : outcome.by_map)
    for (const auto& split : splits)
      if (!split.scaling.empty()) ++counts[split.scaling];
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? "" : most->first;
}

double mean_floor(const Validation& validation) {
  double sum = 0;
  int count = 0;
  for (const surface::NoiseFloor& floor : validation.floors)
    if (std::isfinite(floor.percent)) {
      sum += floor.percent;
      ++count;
    }
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

// Errors of rows that share the values of --by, over all splits: [value][method] of a plan.
struct ByRow {
  double sum = 0;
  std::size_t count = 0;
};
std::map<std::string, std::vector<ByRow>> by_label(const Validation& validation, std::size_t plan,
                                                   const std::vector<std::string>& columns) {
  std::map<std::string, std::vector<ByRow>> table;
  for (std::size_t m = 0; m < validation.methods.size(); ++m) {
    const ValidationOutcome& outcome = validation.outcomes[plan][m];
    for (std::size_t map = 0; map < outcome.by_map.size(); ++map)
      for (const auto& split : outcome.by_map[map])
        for (const surface::RowError& error : split.rows) {
          if (std::isnan(error.percent)) continue;
          std::vector<std::string> parts;
          for (const std::string& column : columns)
            for (const stats::KeyPart& part :
                 validation.input.maps[map].labels[static_cast<std::size_t>(error.row)])
              if (part.column == column) {
                parts.push_back(part.column + "=" + part.value);
                break;
              }
          auto& row = table[fmt::format("{}", fmt::join(parts, " "))];
          row.resize(validation.methods.size());
          row[m].sum += error.percent;
          ++row[m].count;
        }
  }
  return table;
}

Json results_json(const Validation& validation, const std::vector<std::size_t>& maps) {
  Json results = Json::array();
  for (std::size_t p = 0; p < validation.plans.size(); ++p)
    for (std::size_t m = 0; m < validation.methods.size(); ++m) {
      ValidationOutcome chosen;
      for (const std::size_t map : maps) chosen.by_map.push_back(validation.outcomes[p][m].by_map[map]);
      const surface::Average mean = over_maps(chosen);
      Json row = {{"method", name(validation.methods[m])},
                  {"train", json_number(validation.plans[p].train)},
                  {"are_percent", json_number(mean.mean)},
                  {"standard_error", json_number(mean.error)},
                  {"count", mean.count},
                  {"scaling", usual_scaling(chosen)}};
      if (const std::string why = first_failure(chosen); !why.empty()) row["failed"] = why;
      results.push_back(std::move(row));
    }
  return results;
}

std::string percent(double value) { return std::isfinite(value) ? fmt::format("{:.2f}", value) : "-"; }

std::vector<Table::Column> method_columns(const Validation& validation, std::vector<Table::Column> columns) {
  for (const Method method : validation.methods) columns.push_back({std::string(name(method)), Table::right});
  return columns;
}

bool by_level(const ValidationPlan& plan) {
  return std::any_of(plan.splits.begin(), plan.splits.end(), [](const std::vector<surface::Split>& splits) {
    return !splits.empty() && !splits.front().label.empty();
  });
}

void print_levels(const Validation& validation, const ValidationPlan& plan, std::size_t p, Output& out) {
  Table table(method_columns(validation, {{"left out"}, {"rows", Table::right}}));
  for (std::size_t map = 0; map < plan.splits.size(); ++map)
    for (std::size_t s = 0; s < plan.splits[map].size(); ++s) {
      const std::string& label = plan.splits[map][s].label;
      std::vector<std::string> cells = {
          plan.splits.size() == 1 ? label : validation.input.maps[map].name() + " " + label,
          std::to_string(plan.splits[map][s].test.size())};
      for (std::size_t m = 0; m < validation.methods.size(); ++m)
        cells.push_back(percent(validation.outcomes[p][m].by_map[map][s].are_percent));
      table.row(std::move(cells));
    }
  out.table(table);
  out.write("\n");
}

void print_by(const Validation& validation, const ValidateOptions& options, Output& out) {
  for (std::size_t p = 0; p < validation.plans.size(); ++p) {
    out.print("\nBy {} ({}), ARE in %:\n", fmt::join(options.map.labels, ", "), validation.plans[p].label);
    Table table(method_columns(validation, {{"configurations", Table::shrinks}, {"tests", Table::right}}));
    for (const auto& [label, row] : by_label(validation, p, options.map.labels)) {
      std::vector<std::string> cells = {label, std::to_string(row.front().count)};
      for (const ByRow& cell : row)
        cells.push_back(percent(cell.count > 0 ? cell.sum / static_cast<double>(cell.count) : NAN));
      table.row(std::move(cells));
    }
    out.table(table);
  }
}

// What each method predicted for configurations it had not seen, of the first plan: each row once, in the
// first split that tests it.
Json predictions_json(const Validation& validation) {
  constexpr std::size_t kMost = 2000;  // for a chart, of each method
  Json list = Json::array();
  for (std::size_t m = 0; m < validation.methods.size(); ++m) {
    Json measured = Json::array(), predicted = Json::array();
    for (std::size_t i = 0; i < validation.input.maps.size(); ++i) {
      const MapData& map = validation.input.maps[i];
      std::vector<bool> seen(static_cast<std::size_t>(map.size()));
      for (const surface::SplitErrors& split : validation.outcomes.front()[m].by_map[i])
        for (const surface::RowError& row : split.rows) {
          if (seen[static_cast<std::size_t>(row.row)] || measured.size() >= kMost) continue;
          seen[static_cast<std::size_t>(row.row)] = true;
          measured.push_back(map.value[row.row]);
          predicted.push_back(json_number(row.predicted));
        }
    }
    list.push_back({{"method", name(validation.methods[m])},
                    {"train", json_number(validation.plans.front().train)},
                    {"measured", std::move(measured)},
                    {"predicted", std::move(predicted)}});
  }
  return list;
}

}  // namespace

Json validation_json(const Validation& validation, const ValidateOptions& options) {
  Json document = json_document("map-validate");
  document["input"] = map_input_json(validation.input, options.map);
  document["options"] = {{"splits", options.splits},
                         {"seed", options.map.seed},
                         {"scale", options.map.scale},
                         {"response_scale", options.method.response_scale},
                         {"degree", options.method.degree}};
  document["noise_floor_percent"] = json_number(mean_floor(validation));
  std::vector<std::size_t> all(validation.input.maps.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  document["results"] = results_json(validation, all);
  document["maps"] = Json::array();
  for (const std::size_t i : all)
    document["maps"].push_back({{"key", key_json(validation.input.maps[i].key)},
                                {"configurations", validation.input.maps[i].size()},
                                {"noise_floor_percent", json_number(validation.floors[i].percent)},
                                {"results", results_json(validation, {i})}});
  document["predictions"] = predictions_json(validation);
  if (options.map.labels.empty()) return document;
  document["by"] = Json::array();
  for (std::size_t p = 0; p < validation.plans.size(); ++p)
    for (const auto& [label, row] : by_label(validation, p, options.map.labels))
      for (std::size_t m = 0; m < row.size(); ++m)
        document["by"].push_back(
            {{"key", label},
             {"method", name(validation.methods[m])},
             {"train", json_number(validation.plans[p].train)},
             {"are_percent",
              json_number(row[m].count > 0 ? row[m].sum / static_cast<double>(row[m].count) : NAN)},
             {"count", row[m].count}});
  return document;
}

void print_validation(const Validation& validation, const ValidateOptions& options, Output& out) {
  const MapData& first = validation.input.maps.front();
  Eigen::Index rows = 0;
  for (const MapData& map : validation.input.maps) rows += map.size();
  out.print("{}: {} configurations in {} map{}, {} factors\n", first.response, rows,
            validation.input.maps.size(), validation.input.maps.size() == 1 ? "" : "s", first.factors.size());
  out.print(
      "Average relative error in % (± its standard error), and the floor that no predictor gets below:\n\n");
  for (std::size_t p = 0; p < validation.plans.size(); ++p)
    if (by_level(validation.plans[p])) print_levels(validation, validation.plans[p], p, out);
  auto columns = method_columns(validation, {{"trained on"}});
  columns.push_back({"floor", Table::right});
  Table table(std::move(columns));
  for (std::size_t p = 0; p < validation.plans.size(); ++p) {
    std::vector<std::string> cells = {validation.plans[p].label};
    for (const ValidationOutcome& outcome : validation.outcomes[p]) {
      const surface::Average mean = over_maps(outcome);
      cells.push_back(std::isfinite(mean.error) ? fmt::format("{:.2f} ± {:.2f}", mean.mean, mean.error)
                                                : percent(mean.mean));
    }
    cells.push_back(percent(mean_floor(validation)));
    table.row(std::move(cells));
  }
  out.table(table);
  out.write("\n");
  for (std::size_t m = 0; m < validation.methods.size(); ++m) {
    const std::string scaling = usual_scaling(validation.outcomes.front()[m]);
    if (!scaling.empty()) out.print("{}: {}\n", name(validation.methods[m]), scaling);
    for (const auto& outcomes : validation.outcomes)
      if (const std::string why = first_failure(outcomes[m]); !why.empty()) {
        out.print("{}: not everywhere: {}\n", name(validation.methods[m]), why);
        break;
      }
  }
  if (!std::isfinite(mean_floor(validation)))
    out.print("No floor: it takes the single runs (--from-runs or --wide).\n");
  if (validation.input.maps.size() > 1 && options.map.labels.empty() && !options.map.split.empty())
    out.print("Errors by map: --by {}\n", fmt::join(options.map.split, ","));
  if (!options.map.labels.empty()) print_by(validation, options, out);
}

}  // namespace weir::cli
