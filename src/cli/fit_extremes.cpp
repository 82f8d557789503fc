#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "cli/fit_options.hpp"
#include "stats/gev.hpp"
#include "stats/gev_profile.hpp"
#include "stats/maxima.hpp"
#include "stats/traffic.hpp"

namespace weir::cli {
namespace {

struct Level {
  stats::ReturnLevel wald;
  std::optional<stats::ProfileInterval> profile;
};

struct Extreme {
  stats::Group group;  // its values are the maxima
  std::size_t left_over = 0;
  stats::GevFit fit;
  std::optional<stats::GevFit> gumbel;
  stats::GumbelTest test;
  std::optional<stats::ProfileInterval> shape;
  std::vector<Level> levels;
  stats::PlotPoints plot;
  std::optional<stats::TrafficFactor> traffic;
};

bool is_gumbel(const FitOptions& options) { return options.family == "gumbel"; }

Result<Extreme> fit_extreme(const FitOptions& options, stats::Group group, const std::vector<double>* quiet) {
  Extreme extreme;
  if (options.block > 0) {
    auto blocks = stats::block_maxima(group.values, options.block);
    if (!blocks) return blocks.error();
    group.values = std::move(blocks->maxima);
    extreme.left_over = blocks->left_over;
  }
  auto fit = is_gumbel(options) ? stats::fit_gumbel(group.values) : stats::fit_gev(group.values);
  if (!fit) return fit.error();
  extreme.fit = std::move(*fit);
  if (!is_gumbel(options)) {
    if (auto gumbel = stats::fit_gumbel(group.values)) {
      extreme.gumbel = std::move(*gumbel);
      extreme.test = stats::test_gumbel(extreme.fit, *extreme.gumbel);
    }
    if (auto shape = stats::profile_shape(group.values, extreme.fit)) extreme.shape = *shape;
  }
  for (const double exceedance : options.return_levels) {
    Level level{.wald = stats::return_level(extreme.fit, exceedance), .profile = {}};
    if (!is_gumbel(options))
      if (auto profile = stats::profile_return_level(group.values, extreme.fit, exceedance))
        level.profile = *profile;
    extreme.levels.push_back(level);
  }
  extreme.plot = stats::plot_points(group.values, extreme.fit, {.seed = options.seed});
  if (quiet != nullptr) {
    auto traffic = stats::traffic_factor(*quiet, group.values);
    if (!traffic) return traffic.error().in("--quiet");
    extreme.traffic = std::move(*traffic);
  }
  extreme.group = std::move(group);
  return extreme;
}

double bic(const Extreme& extreme, const FitOptions& options) {
  return -2 * extreme.fit.log_likelihood +
         (is_gumbel(options) ? 2 : 3) * std::log(static_cast<double>(extreme.fit.n));
}

Json interval_json(const std::optional<stats::ProfileInterval>& interval) {
  if (!interval) return nullptr;
  return {
      {"low", json_number(interval->low)}, {"high", json_number(interval->high)}, {"level", interval->level}};
}

Json traffic_json(const stats::TrafficFactor& traffic) {
  Json blocks = Json::array();
  for (const auto& block : traffic.blocks)
    blocks.push_back({{"first", block.first}, {"count", block.count}, {"factor", json_number(block.factor)}});
  return {{"factor", json_number(traffic.factor)},
          {"low", json_number(traffic.low)},
          {"high", json_number(traffic.high)},
          {"constant", traffic.constant()},
          {"scaling_p", json_number(traffic.scaling_p)},
          {"drift_p", json_number(traffic.drift_p)},
          {"blocks", std::move(blocks)}};
}

stats::Mixture as_mixture(const Extreme& extreme, const FitOptions& options) {
  return {.family = is_gumbel(options) ? stats::Family::gumbel : stats::Family::gev,
          .components = {{.weight = 1, .parameters = extreme.fit.parameters}}};
}

Json extreme_json(const Extreme& extreme, const FitOptions& options) {
  const stats::Parameters& p = extreme.fit.parameters;
  const auto& se = extreme.fit.standard_errors;
  Json parameters = {{"weight", 1.0}, {"location", p.location}, {"scale", p.scale}};
  if (!is_gumbel(options)) parameters["shape"] = p.shape;
  parameters["weight_se"] = nullptr;
  parameters["location_se"] = json_number(se[0]);
  parameters["scale_se"] = json_number(se[1]);
  if (!is_gumbel(options)) parameters["shape_se"] = json_number(se[2]);
  Json model = {{"family", options.family},
                {"components", 1},
                {"bic", json_number(bic(extreme, options))},
                {"log_likelihood", json_number(extreme.fit.log_likelihood)},
                {"converged", extreme.fit.converged},
                {"iterations", extreme.fit.iterations},
                {"regular", extreme.fit.regular},
                {"note", extreme.fit.note.empty() ? Json(nullptr) : Json(extreme.fit.note)},
                {"parameters", Json::array({std::move(parameters)})}};
  Json group = {{"key", key_json(extreme.group.key)},
                {"n", extreme.fit.n},
                {"models", Json::array({std::move(model)})}};
  if (extreme.gumbel) {
    group["shape_interval"] = interval_json(extreme.shape);
    group["gumbel_test"] = {{"statistic", json_number(extreme.test.statistic)},
                            {"p_value", json_number(extreme.test.p_value)}};
  }
  group["return_levels"] = Json::array();
  for (const Level& level : extreme.levels)
    group["return_levels"].push_back({{"exceedance", level.wald.exceedance},
                                      {"level", json_number(level.wald.level)},
                                      {"level_se", json_number(level.wald.standard_error)},
                                      {"profile", interval_json(level.profile)}});
  group["outside"] = Json::array();
  for (const auto& point : extreme.plot.outside)
    group["outside"].push_back({{"rank", point.rank},
                                {"observed", point.observed},
                                {"low", json_number(point.low)},
                                {"high", json_number(point.high)}});
  if (extreme.traffic) group["traffic"] = traffic_json(*extreme.traffic);
  if (options.slowest_of > 0)
    group["slowest_of"] = growth_json(as_mixture(extreme, options), options.slowest_of);
  group["plot"] = plot_json(extreme.plot);
  return group;
}

// Six digits: scales of extremes are small beside their locations.
std::string shown(double value) { return number(value, 6); }

std::string interval_text(const std::optional<stats::ProfileInterval>& interval) {
  return interval ? fmt::format("{} to {}", shown(interval->low), shown(interval->high)) : "-";
}

void print_traffic(const stats::TrafficFactor& traffic, Output& out) {
  out.print(
      "Traffic factor against the quiet runs: {:.4f} ({:.4f} to {:.4f}); {}: scaling p = {:.3f}, drift p = "
      "{:.3f}\n",
      traffic.factor, traffic.low, traffic.high, traffic.constant() ? "constant" : "not constant",
      traffic.scaling_p, traffic.drift_p);
}

void print_extreme(const Extreme& extreme, const FitOptions& options, Output& out) {
  const stats::GevFit& fit = extreme.fit;
  out.print("{}: {} maxima, {}{}\n\n", stats::label(extreme.group), fit.n, options.family,
            extreme.left_over > 0
                ? fmt::format(" ({} values of an unfinished block left out)", extreme.left_over)
                : "");
  Table table(
      {{"parameter"}, {"estimate", Table::right}, {"standard error", Table::right}, {"95 % interval"}});
  const auto wald = [](double estimate, double error) {
    return std::isfinite(error)
               ? fmt::format("{} to {}", shown(estimate - 1.96 * error), shown(estimate + 1.96 * error))
               : std::string("-");
  };
  const stats::Parameters& p = fit.parameters;
  table.row({"location", shown(p.location), shown(fit.standard_errors[0]),
             wald(p.location, fit.standard_errors[0])});
  table.row({"scale", shown(p.scale), shown(fit.standard_errors[1]), wald(p.scale, fit.standard_errors[1])});
  if (!is_gumbel(options))
    table.row({"shape", shown(p.shape), shown(fit.standard_errors[2]),
               extreme.shape ? interval_text(extreme.shape) + " (profile)"
                             : wald(p.shape, fit.standard_errors[2])});
  for (const Level& level : extreme.levels)
    table.row({fmt::format("exceeded by {:g} %", 100 * level.wald.exceedance), shown(level.wald.level),
               shown(level.wald.standard_error),
               level.profile ? interval_text(level.profile) + " (profile)"
                             : wald(level.wald.level, level.wald.standard_error)});
  out.table(table);
  out.print("\nlog L {:.3f}, BIC {:.2f}{}\n", fit.log_likelihood, bic(extreme, options),
            fit.converged ? "" : ", not converged");
  if (!fit.note.empty()) out.print("Note: {}\n", fit.note);
  if (extreme.gumbel)
    out.print("Gumbel (shape 0) against this: p = {:.4f}: {}\n", extreme.test.p_value,
              extreme.test.p_value < 0.05 ? "the shape is needed" : "the shape is not needed");
  out.print("{} of {} points outside the pointwise {:.0f} % band of the quantile plot",
            extreme.plot.outside.size(), extreme.plot.checked, 100 * extreme.plot.level);
  std::size_t listed = 0;
  for (const auto& point : extreme.plot.outside) {
    if (listed == 8) break;
    out.print("{} {}", listed++ == 0 ? ":" : ",", shown(point.observed));
  }
  out.print("{}\n", extreme.plot.outside.size() > listed ? ", ..." : "");
  if (extreme.traffic) print_traffic(*extreme.traffic, out);
  if (options.slowest_of > 0) print_growth(as_mixture(extreme, options), options.slowest_of, out);
}

}  // namespace

Result<int> run_extremes(const FitOptions& options, stats::Samples samples, Output& out) {
  std::vector<double> quiet;
  if (!options.quiet.empty()) {
    SampleOptions where = options.input;
    where.query.group.clear();
    auto read_quiet = read(where, options.quiet);
    if (!read_quiet) return read_quiet.error();
    quiet = std::move(read_quiet->groups.front().values);
  }
  if (!options.maxima_per.empty()) {
    SampleOptions where = options.input;
    where.query.group = options.maxima_per;
    auto per_target = read(where, options.input.file);
    if (!per_target) return per_target.error();
    stats::Group maxima;
    maxima.values = stats::slowest_per_group(*per_target);
    samples.groups = {std::move(maxima)};
  }

  std::vector<Extreme> extremes;
  for (stats::Group& group : samples.groups) {
    const std::string label = stats::label(group);
    auto extreme = fit_extreme(options, std::move(group), quiet.empty() ? nullptr : &quiet);
    if (extreme) {
      extremes.push_back(std::move(*extreme));
      continue;
    }
    const Error error = extreme.error().in(label).in(samples.source);
    if (options.input.query.strict || samples.groups.size() == 1) return error;
    warn("{}", error.text());
  }
  if (extremes.empty()) return Error{Errc::bad_data, "not one group could be fitted"}.in(samples.source);

  if (options.json) {
    Json document = json_document("fit");
    document["input"] = input_json(samples);
    document["options"] = {{"family", options.family},
                           {"seed", options.seed},
                           {"block", options.block == 0 ? Json(nullptr) : Json(options.block)}};
    document["groups"] = Json::array();
    for (const Extreme& extreme : extremes) document["groups"].push_back(extreme_json(extreme, options));
    out.json(document);
    return 0;
  }
  bool first = true;
  for (const Extreme& extreme : extremes) {
    if (!first) out.write("\n");
    first = false;
    print_extreme(extreme, options, out);
  }
  return 0;
}

}  // namespace weir::cli
