#include "stats/selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "stats/detail/em_ladder.hpp"

namespace weir::stats {

namespace {

constexpr double kClose = 2;  // BIC units

// Σ over values of -Σ_j r log r, twice. Of a large sample's stand-in, which is close enough for a criterion.
double twice_entropy(const detail::PreparedSample& sample, const Mixture& mixture) {
  if (mixture.components.size() == 1) return 0;
  double sum = 0;
  std::array<double, kMostComponents> terms{};
  for (std::size_t i = 0; i < sample.distinct(); ++i) {
    double peak = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < mixture.components.size(); ++j) {
      const Component& c = mixture.components[j];
      terms[j] = std::log(c.weight) + log_density(mixture.family, c.parameters, sample.value(i));
      peak = std::max(peak, terms[j]);
    }
    // With e_j = exp(term - peak) and E their sum, the entropy is log E - (Σ e_j (term - peak))/E.
    double total = 0, moment = 0;
    for (std::size_t j = 0; j < mixture.components.size(); ++j) {
      const double below = terms[j] - peak;
      if (below < -40) continue;
      const double share = std::exp(below);
      total += share;
      moment += share * below;
    }
    sum += sample.weight(i) * (std::log(total) - moment / total);
  }
  return 2 * sum;
}

}  // namespace

double Selection::standardised_bic(const Model& model) const {
  return model.bic - 2 * static_cast<double>(n) * std::log(spread);
}

Result<Selection> select_model(std::span<const double> values, const SelectionOptions& options) {
  if (options.families.empty()) return Error{Errc::usage, "no families to choose from"};
  const EmOptions& em = options.em;
  if (auto fault = detail::wrong_options(options.max_components, em)) return *fault;
  auto prepared = detail::PreparedSample::make(values);
  if (!prepared) return prepared.error();
  const detail::Workbench bench(*std::move(prepared), options.max_components);
  const detail::PreparedSample& sample = bench.sample();

  Selection selection;
  selection.n = sample.total();
  selection.spread = sample.spread();
  std::vector<std::vector<MixtureFit>> fits(options.families.size());
  std::vector<std::optional<Error>> faults(options.families.size());
  parallel_for(
      options.families.size(),
      [&](std::size_t f) {
        faults[f] = detail::unfit(sample, options.families[f]);
        if (!faults[f]) fits[f] = detail::fit_ladder(bench, options.families[f], options.max_components, em);
      },
      options.threads);

  const auto n = static_cast<double>(sample.total());
  for (std::size_t f = 0; f < fits.size(); ++f) {
    const Family family = options.families[f];
    if (const std::optional<Error>& fault = faults[f]; fault.has_value()) {
      selection.left_out.push_back({family, 0, fault->text()});
      continue;
    }
    for (int k = static_cast<int>(fits[f].size()) + 1; k <= options.max_components; ++k)
      selection.left_out.push_back({family, k, detail::too_few(sample, k)});
    for (MixtureFit& fit : fits[f]) {
      Model model;
      const auto parameters = static_cast<double>(fit.mixture.parameter_count());
      model.bic = -2 * fit.log_likelihood + parameters * std::log(n);
      model.aic = -2 * fit.log_likelihood + 2 * parameters;
      model.icl = model.bic + twice_entropy(bench.scout(), fit.mixture);
      model.seconds = fit.seconds;
      model.fit = std::move(fit);
      selection.models.push_back(std::move(model));
    }
  }
  if (selection.models.empty()) {
    const LeftOut& first = selection.left_out.front();
    return Error{Errc::bad_data, fmt::format("no family can describe the values: {}", first.reason)};
  }
  std::stable_sort(selection.models.begin(), selection.models.end(),
                   [](const Model& a, const Model& b) { return a.bic < b.bic; });
  if (selection.models.size() > 1) {
    const Model& one = selection.models[0];
    const Model& two = selection.models[1];
    if (two.bic - one.bic < kClose)
      selection.warning = fmt::format(
          "{} with {} and {} with {} components are within {:.1f} BIC: the values do not tell them apart",
          name(one.fit.mixture.family), one.fit.mixture.components.size(), name(two.fit.mixture.family),
          two.fit.mixture.components.size(), two.bic - one.bic);
  }
  return selection;
}

Totals totals(std::span<const Selection> selections) {
  Totals result;
  std::map<Family, Totals::ByFamily> rows;
  std::map<Family, std::vector<std::vector<double>>> times;
  for (const Selection& selection : selections) {
    if (selection.models.empty()) continue;
    ++result.groups;
    result.close += !selection.warning.empty();
    const Mixture& winner = selection.best().fit.mixture;
    ++rows[winner.family].best;
    const std::size_t k = winner.components.size();
    if (result.best_components.size() < k) result.best_components.resize(k);
    ++result.best_components[k - 1];

    std::map<Family, const Model*> best;  // models come ranked, so the first of a family is its best
    for (const Model& model : selection.models) {
      best.try_emplace(model.fit.mixture.family, &model);
      auto& by_components = times[model.fit.mixture.family];
      const std::size_t components = model.fit.mixture.components.size();
      if (by_components.size() < components) by_components.resize(components);
      by_components[components - 1].push_back(model.seconds);
    }
    for (const auto& [family, model] : best) {
      rows[family].sum_of_best_bic += selection.standardised_bic(*model);
      ++rows[family].groups;
    }
  }
  for (auto& [family, row] : rows) {
    row.family = family;
    for (const auto& seconds : times[family]) {
      double mean = 0, square = 0;
      const auto count = static_cast<double>(seconds.size());
      for (const double s : seconds) mean += s / count;
      for (const double s : seconds) square += (s - mean) * (s - mean);
      row.seconds.push_back(mean);
      row.seconds_deviation.push_back(seconds.size() > 1 ? std::sqrt(square / (count - 1)) : 0);
    }
    result.families.push_back(std::move(row));
  }
  return result;
}

}  // namespace weir::stats
