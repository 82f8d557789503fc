#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/fit_options.hpp"

namespace weir::cli {
namespace {

std::string with_error(double value, double error) {
  return std::isfinite(error) ? fmt::format("{:.5g} ± {:.2g}", value, error) : number(value);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// What a person reads first: "2 gamma components".
std::string phrase(const stats::Mixture& mixture) {
  const std::size_t k = mixture.components.size();
  return fmt::format("{} {} component{}", k, stats::name(mixture.family), k == 1 ? "" : "s");
}

void print_models(const stats::Selection& selection, int top, Output& out) {
  Table table({{"family"},
               {"k", Table::right},
               {"BIC", Table::right},
               {"Δ BIC", Table::right},
               {"AIC", Table::right},
               {"ICL", Table::right},
               {"log L", Table::right},
               {"remarks", Table::shrinks}});
  const double best = selection.best().bic;
  int rows = 0;
  for (const stats::Model& model : selection.models) {
    if (++rows > top) break;
    std::string remarks;
    if (!model.fit.converged) remarks = "not converged";
    if (model.fit.floor_hit) remarks += std::string(remarks.empty() ? "" : ", ") + "scale at the floor";
    table.row({std::string(stats::name(model.fit.mixture.family)),
               std::to_string(model.fit.mixture.components.size()), fmt::format("{:.2f}", model.bic),
               fmt::format("{:.2f}", model.bic - best), fmt::format("{:.2f}", model.aic),
               fmt::format("{:.2f}", model.icl), fmt::format("{:.3f}", model.fit.log_likelihood), remarks});
  }
  out.table(table);
  if (std::cmp_greater(selection.models.size(), top))
    out.print("... {} more; --top {} shows all\n", selection.models.size() - static_cast<std::size_t>(top),
              selection.models.size());
}

void print_best(const FittedGroup& fitted, Output& out) {
  const stats::MixtureFit& fit = fitted.selection->best().fit;
  out.print("\nBest: {}\n", phrase(fit.mixture));
  const bool gamma = fit.mixture.family == stats::Family::gamma;
  Table table({{"component", Table::right},
               {"weight", Table::right},
               {gamma ? "shape" : "location", Table::right},
               {"scale", Table::right},
               {"median", Table::right}});
  for (std::size_t i = 0; i < fit.mixture.components.size(); ++i) {
    const stats::Component& c = fit.mixture.components[i];
    const stats::ComponentErrors errors =
        i < fit.errors.size() ? fit.errors[i] : stats::ComponentErrors{NAN, NAN, NAN};
    table.row({std::to_string(i + 1),
               with_error(c.weight, fit.mixture.components.size() == 1 ? NAN : errors.weight),
               with_error(c.parameters.location, errors.location),
               with_error(c.parameters.scale, errors.scale),
               number(stats::quantile(fit.mixture.family, c.parameters, 0.5))});
  }
  out.table(table);
  out.print("\nQuantiles of the model: 1 % {}, 10 % {}, 50 % {}, 90 % {}, 99 % {}\n",
            number(fit.mixture.quantile(0.01)), number(fit.mixture.quantile(0.1)),
            number(fit.mixture.quantile(0.5)), number(fit.mixture.quantile(0.9)),
            number(fit.mixture.quantile(0.99)));
  if (fitted.goodness)
    out.print(
        "Goodness of fit: Kolmogorov-Smirnov {:.4f} (p {:.3f}), Anderson-Darling {:.4f} (p {:.3f}), {} "
        "replicates{}\n",
        fitted.goodness->ks, fitted.goodness->ks_p, fitted.goodness->ad, fitted.goodness->ad_p,
        fitted.goodness->replicates,
        std::min(fitted.goodness->ks_p, fitted.goodness->ad_p) < 0.01
            ? ": the model does not describe these values"
            : "");
}

void print_notes(const stats::Selection& selection, Output& out) {
  if (!selection.warning.empty()) out.print("Note: {}\n", selection.warning);
  for (const stats::LeftOut& left : selection.left_out)
    out.print("Note: {}{} left out: {}\n", stats::name(left.family),
              left.components == 0 ? "" : fmt::format(" with {} components", left.components), left.reason);
}

void print_group(const FittedGroup& fitted, const FitOptions& options, bool named, Output& out) {
  if (named) out.print("{}\n", stats::label(fitted.group));
  if (!fitted.selection) {
    out.print("skipped: {}\n", fitted.skipped);
    return;
  }
  const auto [low, high] = std::ranges::minmax(fitted.group.values);
  const std::size_t distinct = fitted.selection->best().fit.distinct;
  out.print("{} values ({} distinct) from {} to {}\n\n", fitted.group.values.size(), distinct, number(low),
            number(high));
  print_models(*fitted.selection, options.top, out);
  print_best(fitted, out);
  print_notes(*fitted.selection, out);
  if (options.slowest_of > 0) print_growth(fitted.selection->best().fit.mixture, options.slowest_of, out);
}

void print_lines(const Fitted& fitted, Output& out) {
  Table table({{"group", Table::shrinks},
               {"n", Table::right},
               {"family"},
               {"k", Table::right},
               {"BIC", Table::right},
               {"median", Table::right},
               {"remarks"}});
  for (const FittedGroup& group : fitted.groups) {
    if (!group.selection) {
      table.row({stats::label(group.group), std::to_string(group.group.values.size()), "-", "-", "-", "-",
                 "skipped"});
      continue;
    }
    const stats::Model& best = group.selection->best();
    table.row({stats::label(group.group), std::to_string(group.selection->n),
               std::string(stats::name(best.fit.mixture.family)),
               std::to_string(best.fit.mixture.components.size()), fmt::format("{:.2f}", best.bic),
               number(best.fit.mixture.quantile(0.5)), group.selection->warning.empty() ? "" : "close"});
  }
  out.table(table);
}

// Tables 3 to 5 of Xu et al. (2020): seconds by model, sum of best BIC and wins by family, wins by
// components.
void print_totals(const Fitted& fitted, Output& out) {
  std::vector<stats::Selection> selections;
  for (const FittedGroup& group : fitted.groups)
    if (group.selection) selections.push_back(*group.selection);
  const stats::Totals totals = stats::totals(selections);
  if (totals.groups == 0) return;

  std::vector<Table::Column> columns = {
      {"family"}, {"best in", Table::right}, {"share", Table::right}, {"sum of BIC", Table::right}};
  for (std::size_t k = 1; k <= totals.best_components.size(); ++k)
    columns.push_back({fmt::format("ms, k={}", k), Table::right});
  Table families(columns);
  for (const auto& family : totals.families) {
    std::vector<std::string> row = {
        std::string(stats::name(family.family)), std::to_string(family.best),
        percent(static_cast<double>(family.best) / static_cast<double>(totals.groups)),
        fmt::format("{:.0f}", family.sum_of_best_bic)};
    for (std::size_t k = 0; k < totals.best_components.size(); ++k)
      row.push_back(k < family.seconds.size() ? fmt::format("{:.2f}", 1e3 * family.seconds[k]) : "-");
    families.row(row);
  }
  out.print(
      "\nBy family, {} groups (BIC of values in units of their spread; mean milliseconds of one model)\n",
      totals.groups);
  out.table(families);

  Table components({{"components", Table::right}, {"best in", Table::right}, {"share", Table::right}});
  std::size_t several = 0;
  for (std::size_t k = 0; k < totals.best_components.size(); ++k) {
    if (k > 0) several += totals.best_components[k];
    components.row(
        {std::to_string(k + 1), std::to_string(totals.best_components[k]),
         percent(static_cast<double>(totals.best_components[k]) / static_cast<double>(totals.groups))});
  }
  out.write("\n");
  out.table(components);
  out.print(
      "\nMore than one component: {} of {} groups ({}). Two best within 2 BIC: {}. Fitted in {:.1f} s on {} "
      "threads.\n",
      several, totals.groups, percent(static_cast<double>(several) / static_cast<double>(totals.groups)),
      totals.close, fitted.seconds, fitted.threads);
}

}  // namespace

void print_fit(const Fitted& fitted, const FitOptions& options, Output& out) {
  const bool several = fitted.groups.size() > 1;
  if (fitted.groups.size() > kDetailedGroups) {
    print_lines(fitted, out);
  } else {
    bool first = true;
    for (const FittedGroup& group : fitted.groups) {
      if (!first) out.write("\n");
      first = false;
      print_group(group, options, several || !group.group.key.empty(), out);
    }
  }
  if (several) print_totals(fitted, out);
}

}  // namespace weir::cli
