#include <array>
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"
#include "cli/map.hpp"
#include "surface/slice.hpp"

namespace weir::cli {
namespace {

struct Options {
  MapOptions map;
  std::string x;
  std::string y;
  std::string change;
  std::vector<std::string> at;
};

// "threads=256:64"
Result<void> parse_change(const std::string& text, surface::SliceRequest& request) {
  if (text.empty()) return {};
  const std::size_t sign = text.find('=');
  const std::size_t colon = text.find(':', sign == std::string::npos ? 0 : sign);
  if (sign == std::string::npos || colon == std::string::npos)
    return Error{Errc::usage, fmt::format("--change '{}' is no change", text)}.with_remedy(
        "write FACTOR=FROM:TO, such as threads=256:64");
  request.change = text.substr(0, sign);
  request.from = text.substr(sign + 1, colon - sign - 1);
  request.to = text.substr(colon + 1);
  return {};
}

Json slice_json(const surface::MapData& map, const surface::Slice& slice) {
  const auto axis = [&](std::size_t factor, const std::vector<double>& values) {
    Json texts = Json::array();
    for (const double value : values) texts.push_back(map.factors[factor].text(value));
    return texts;
  };
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < slice.value.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < slice.value.cols(); ++j) row.push_back(json_number(slice.value(i, j)));
    rows.push_back(std::move(row));
  }
  return {{"key", key_json(map.key)},
          {"x", axis(slice.x_factor, slice.x)},
          {"y", slice.y.empty() ? Json(nullptr) : axis(slice.y_factor, slice.y)},
          {"values", std::move(rows)},
          {"averaged_over", slice.averaged}};
}

void print_slice(const surface::MapData& map, const surface::Slice& slice, const Options& options,
                 Output& out) {
  const surface::Factor& x = map.factors[slice.x_factor];
  const std::string corner =
      slice.y.empty() ? "" : fmt::format("{} \\ {}", map.factors[slice.y_factor].name, x.name);
  out.print("{}{}{}{}{}\n\n", map.key.empty() ? "" : map.name() + ": ", map.response,
            options.change.empty() ? "" : ", change " + options.change,
            options.at.empty() ? "" : fmt::format(", at {}", fmt::join(options.at, ", ")),
            slice.y.empty() ? fmt::format(", against {}", x.name) : "");
  if (slice.y.empty()) {
    Table table({{x.name, Table::right}, {"value", Table::right}, {"configurations", Table::right}});
    for (std::size_t j = 0; j < slice.x.size(); ++j)
      table.row({x.text(slice.x[j]), number(slice.value(0, static_cast<Eigen::Index>(j))),
                 std::to_string(slice.count(0, static_cast<Eigen::Index>(j)))});
    out.table(table);
  } else {
    std::vector<Table::Column> columns = {{corner, Table::right}};
    for (const double value : slice.x) columns.push_back({x.text(value), Table::right});
    Table table(columns);
    for (std::size_t i = 0; i < slice.y.size(); ++i) {
      std::vector<std::string> cells = {map.factors[slice.y_factor].text(slice.y[i])};
      for (Eigen::Index j = 0; j < slice.value.cols(); ++j)
        cells.push_back(number(slice.value(static_cast<Eigen::Index>(i), j), 4));
      table.row(std::move(cells));
    }
    out.table(table);
  }
  if (!slice.averaged.empty())
    out.print("Averaged over {}; --at holds a factor at a value.\n", fmt::join(slice.averaged, ", "));
}

Result<int> run_slice(const Options& options, Output& out) {
  const auto input = read_maps(options.map);
  if (!input) return input.error();
  surface::SliceRequest request{.x = options.x, .y = options.y};
  const auto at = parse_assignments(options.at);
  if (!at) return at.error();
  request.at = *at;
  if (auto parsed = parse_change(options.change, request); !parsed) return parsed.error();
  Json document = json_document("map-slice");
  document["input"] = map_input_json(*input, options.map);
  document["x_factor"] = options.x;
  document["y_factor"] = options.y.empty() ? Json(nullptr) : Json(options.y);
  document["maps"] = Json::array();
  bool first = true;
  for (const surface::MapData& map : input->maps) {
    const auto made = surface::slice(map, request);
    if (!made) return made.error().in(map.name()).in(input->samples.source);
    document["maps"].push_back(slice_json(map, *made));
    if (options.map.json) continue;
    if (!first) out.write("\n");
    first = false;
    print_slice(map, *made, options, out);
  }
  if (options.map.json) out.json(document);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_map_options(app, options->map);
  app.add_option("--x", options->x, "factor along the columns, or down the only one")
      ->type_name("FACTOR")
      ->required();
  app.add_option("--y", options->y, "factor along the rows: a heat map")->type_name("FACTOR");
  app.add_option("--at", options->at, "other factors held at a measured value")
      ->type_name("A=V,...")
      ->delimiter(',');
  app.add_option("--change", options->change,
                 "how much the response changes from one value of a factor to another")
      ->type_name("A=V:W");
  return [options](Output& out) { return run_slice(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir map slice runs.csv --factors freq,threads,file_kb --from-runs mb_s --statistic mean --x "
            "file_kb "
            "--y freq --at threads=256",
            "throughput against file size, a row for each frequency"},
    Example{"weir map slice runs.csv --factors freq,threads,file_kb --from-runs mb_s --statistic variance "
            "--x file_kb "
            "--y freq --change threads=256:64",
            "how the variance changes from 256 threads to 64"},
};

}  // namespace

const Command kMapSlice = {
    .name = "slice",
    .summary = "measured responses as a table over one or two factors, or their change",
    .examples = kExamples,
    .define = define,
};

}  // namespace weir::cli
