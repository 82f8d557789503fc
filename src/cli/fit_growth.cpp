#include <cmath>

#include <fmt/format.h>

#include "base/json.hpp"
#include "cli/fit_options.hpp"
#include "stats/maxima.hpp"

namespace weir::cli {
namespace {

// Six digits: scales of extremes are small beside their locations.
std::string shown(double value) { return number(value, 6); }

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
    table.row({fmt::format("{:.0f}", row.targets), shown(row.mean), shown(row.median), shown(row.low),
               shown(row.high)});
  out.write("\n");
  out.table(table);
}

}  // namespace weir::cli
