#include <algorithm>

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "cli/map_validate.hpp"
#include "surface/distribution.hpp"

namespace weir::cli {

Result<int> validate_distributions(const ValidateOptions& options, Output& out) {
  const auto input = read_maps(options.map);
  if (!input) return input.error();
  Json document = json_document("map-validate");
  document["input"] = map_input_json(*input, options.map);
  document["distributions"] = Json::array();
  Table table({{"map", Table::shrinks},
               {"configurations", Table::right},
               {"predicted", Table::right},
               {"nearest neighbour", Table::right},
               {"one for all", Table::right}});
  for (const surface::MapData& map : input->maps) {
    const int folds =
        options.folds > 0 ? options.folds : static_cast<int>(std::min<Eigen::Index>(10, map.size()));
    const auto score = surface::score_distributions(map, folds, options.map.seed, options.map.threads);
    if (!score) {
      if (input->maps.size() == 1) return score.error().in(input->samples.source);
      warn("{}: {}: {}", input->samples.source, map.name(), score.error().text());
      continue;
    }
    document["distributions"].push_back({{"key", key_json(map.key)},
                                         {"configurations", score->count},
                                         {"folds", folds},
                                         {"ks_predicted", json_number(score->predicted)},
                                         {"ks_nearest_neighbour", json_number(score->neighbour)},
                                         {"ks_global", json_number(score->overall)}});
    table.row({map.name(), std::to_string(score->count), fmt::format("{:.4f}", score->predicted),
               fmt::format("{:.4f}", score->neighbour), fmt::format("{:.4f}", score->overall)});
  }
  if (options.map.json) {
    out.json(document);
    return 0;
  }
  out.print("Mean Kolmogorov distance of held-out configurations to what was predicted for them:\n\n");
  out.table(table);
  return 0;
}

}  // namespace weir::cli
