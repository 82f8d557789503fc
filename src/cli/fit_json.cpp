#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "cli/fit_options.hpp"

namespace weir::cli {
namespace {

Json model_json(const stats::Model& model) {
  const stats::MixtureFit& fit = model.fit;
  return {{"family", stats::name(fit.mixture.family)},
          {"components", fit.mixture.components.size()},
          {"bic", json_number(model.bic)},
          {"aic", json_number(model.aic)},
          {"icl", json_number(model.icl)},
          {"log_likelihood", json_number(fit.log_likelihood)},
          {"converged", fit.converged},
          {"iterations", fit.iterations},
          {"starts", fit.starts},
          {"floor", json_number(fit.floor)},
          {"floor_hit", fit.floor_hit},
          {"parameters", parameters_json(fit)}};
}

Json group_json(const FittedGroup& fitted, const FitOptions& options) {
  Json group = {
      {"key", key_json(fitted.group.key)}, {"n", fitted.group.values.size()}, {"models", Json::array()}};
  if (!fitted.selection) {
    group["skipped"] = fitted.skipped;
    return group;
  }
  const stats::Selection& selection = *fitted.selection;
  for (const stats::Model& model : selection.models) group["models"].push_back(model_json(model));
  group["left_out"] = Json::array();
  for (const stats::LeftOut& left : selection.left_out)
    group["left_out"].push_back({{"family", stats::name(left.family)},
                                 {"components", left.components == 0 ? Json(nullptr) : Json(left.components)},
                                 {"reason", left.reason}});
  group["warning"] = selection.warning.empty() ? Json(nullptr) : Json(selection.warning);
  if (fitted.goodness)
    group["goodness"] = {{"ks_statistic", json_number(fitted.goodness->ks)},
                         {"ks_p", json_number(fitted.goodness->ks_p)},
                         {"ad_statistic", json_number(fitted.goodness->ad)},
                         {"ad_p", json_number(fitted.goodness->ad_p)},
                         {"replicates", fitted.goodness->replicates}};
  if (options.slowest_of > 0)
    group["slowest_of"] = growth_json(selection.best().fit.mixture, options.slowest_of);
  if (fitted.plot) group["plot"] = plot_json(*fitted.plot);
  return group;
}

Json totals_json(const std::vector<stats::Selection>& selections) {
  const stats::Totals totals = stats::totals(selections);
  Json families = Json::array();
  for (const auto& family : totals.families)
    families.push_back({{"family", stats::name(family.family)},
                        {"sum_of_best_bic", json_number(family.sum_of_best_bic)},
                        {"groups", family.groups},
                        {"best", family.best}});
  return {{"groups", totals.groups},
          {"within_2_bic", totals.close},
          {"families", std::move(families)},
          {"best_by_components", totals.best_components}};
}

}  // namespace

Json parameters_json(const stats::MixtureFit& fit) {
  Json parameters = Json::array();
  for (std::size_t i = 0; i < fit.mixture.components.size(); ++i) {
    const stats::Component& component = fit.mixture.components[i];
    Json row = {{"weight", json_number(component.weight)},
                {"location", json_number(component.parameters.location)},
                {"scale", json_number(component.parameters.scale)}};
    const bool known = i < fit.errors.size();
    row["weight_se"] = known ? json_number(fit.errors[i].weight) : Json(nullptr);
    row["location_se"] = known ? json_number(fit.errors[i].location) : Json(nullptr);
    row["scale_se"] = known ? json_number(fit.errors[i].scale) : Json(nullptr);
    parameters.push_back(std::move(row));
  }
  return parameters;
}

Json plot_json(const stats::PlotPoints& plot) {
  Json ecdf = Json::array(), curve = Json::array(), quantiles = Json::array();
  for (const auto& step : plot.ecdf) ecdf.push_back({{"x", step.x}, {"share", step.share}});
  for (const auto& point : plot.curve)
    curve.push_back(
        {{"x", point.x}, {"cdf", json_number(point.cdf)}, {"density", json_number(point.density)}});
  for (const auto& point : plot.quantiles)
    quantiles.push_back({{"model", json_number(point.model)},
                         {"observed", point.observed},
                         {"low", json_number(point.low)},
                         {"high", json_number(point.high)},
                         {"outside", point.outside}});
  return {{"ecdf", std::move(ecdf)},  {"curve", std::move(curve)},      {"quantiles", std::move(quantiles)},
          {"band_level", plot.level}, {"band", stats::name(plot.band)}, {"outside", plot.outside.size()},
          {"checked", plot.checked}};
}

Json fit_json(const Fitted& fitted, const FitOptions& options) {
  Json document = json_document("fit");
  document["input"] = input_json(fitted.samples);
  document["options"] = {
      {"family", options.family},
      {"components", options.components == 0 ? Json(nullptr) : Json(options.components)},
      {"max_components", options.components == 0 ? Json(options.max_components) : Json(nullptr)},
      {"seed", options.seed},
      {"starts", options.starts},
      {"floor_share", options.floor}};
  document["groups"] = Json::array();
  std::vector<stats::Selection> selections;
  for (const FittedGroup& group : fitted.groups) {
    document["groups"].push_back(group_json(group, options));
    if (group.selection) selections.push_back(*group.selection);
  }
  if (fitted.groups.size() > 1) document["totals"] = totals_json(selections);
  return document;
}

Result<void> write_fit_csv(const Fitted& fitted, const std::string& path) {
  const auto quoted = [](const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string escaped = "\"";
    for (const char c : text) escaped += c == '"' ? std::string("\"\"") : std::string(1, c);
    return escaped + "\"";
  };
  std::size_t most = 1;
  for (const FittedGroup& group : fitted.groups)
    if (group.selection)
      for (const stats::Model& model : group.selection->models)
        most = std::max(most, model.fit.mixture.components.size());

  std::string text;
  for (const stats::KeyPart& part : fitted.groups.front().group.key) text += quoted(part.column) + ",";
  text += "n,family,components,bic,aic,icl,log_likelihood,converged,floor_hit";
  for (std::size_t i = 1; i <= most; ++i) text += fmt::format(",weight_{0},location_{0},scale_{0}", i);
  text += "\n";
  for (const FittedGroup& group : fitted.groups) {
    if (!group.selection) continue;
    std::string key;
    for (const stats::KeyPart& part : group.group.key) key += quoted(part.value) + ",";
    for (const stats::Model& model : group.selection->models) {
      const stats::MixtureFit& fit = model.fit;
      text += fmt::format("{}{},{},{},{},{},{},{},{},{}", key, fit.n, stats::name(fit.mixture.family),
                          fit.mixture.components.size(), model.bic, model.aic, model.icl, fit.log_likelihood,
                          fit.converged ? 1 : 0, fit.floor_hit ? 1 : 0);
      for (std::size_t i = 0; i < most; ++i) {
        if (i < fit.mixture.components.size()) {
          const stats::Component& c = fit.mixture.components[i];
          text += fmt::format(",{},{},{}", c.weight, c.parameters.location, c.parameters.scale);
        } else {
          text += ",,,";
        }
      }
      text += "\n";
    }
  }
  return replace_file(path, as_bytes(text));
}

}  // namespace weir::cli
