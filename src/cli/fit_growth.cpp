#include <cmath>

#include <fmt/format.h>

#include "base/json.hpp"
#include "cli/fit_options.hpp"
#include "stats/maxima.hpp"

namespace weir::cli {
namespace {

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-"; }

}  // namespace

Json growth_json(const stats::Mixture& one_target, double most) {
  Json rows = Json::array();
  for (const stats::SlowestOf& row : stats::slowest_growth(one_target, most))
    rows.push_back({{"targets", row.targets},
                    {"mean", json_number(row.mean)},
                    {"median", json_number(row.median)},
                    {"low", json_number(row.low)},
                    {"high", json_number(row.high)},
                    {"limit_shape", json_number(row.limit.shape)},
                    {"distance", json_number(row.distance)}});
  return rows;
}

void print_growth(const stats::Mixture& one_target, double most, Output& out) {
  Table table({{"slowest of", Table::right},
               {"mean", Table::right},
               {"median", Table::right},
               {"5 %", Table::right},
               {"95 %", Table::right}});
  for (const stats::SlowestOf& row : stats::slowest_growth(one_target, most))
    table.row({fmt::format("{:.0f}", row.targets), number(row.mean), number(row.median), number(row.low),
               number(row.high)});
  out.write("\n");
  out.table(table);
}

}  // namespace weir::cli
