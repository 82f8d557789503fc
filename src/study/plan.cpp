#include "study/plan.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "study/seconds.hpp"

namespace weir::study {
namespace {

// A run of this kind: as those before, else as the traced one.
std::optional<double> cost_of(const Work& work, std::size_t kind) {
  if (work.typical_s[kind] > 0) return work.typical_s[kind];
  for (const double other : work.typical_s)
    if (other > 0) return other;
  return work.traced_s;
}

}  // namespace

std::optional<double> left_s(const Work& work) {
  double sum = 0;
  for (std::size_t i = 0; i < work.where.size(); ++i) {
    const auto cost = cost_of(work, i);
    if (!cost) return std::nullopt;
    const std::size_t left = work.wanted - std::min(work.wanted, work.done[i]);
    sum += *cost * static_cast<double>(left);
  }
  if (work.budget_s) sum = std::min(sum, std::max(0.0, *work.budget_s - work.spent_s));
  return sum;
}

bool another_round(const Work& work) {
  const bool all = std::ranges::all_of(work.done, [&](std::size_t n) { return n >= work.wanted; });
  if (all) return false;
  if (!work.budget_s) return true;
  if (std::ranges::any_of(work.done, [](std::size_t n) { return n < kFewestRuns; })) return true;
  double round = 0;
  for (std::size_t i = 0; i < work.where.size(); ++i) round += cost_of(work, i).value_or(0);
  return work.spent_s + round <= *work.budget_s;
}

std::vector<std::string> plan_text(const Work& work, const std::string& out) {
  std::vector<std::string> lines;
  std::vector<std::string> models;
  for (std::size_t i = 1; i < work.where.size(); ++i)
    models.push_back(work.where[i].empty() ? "with the weakest consistency that is proven enough"
                                           : work.where[i]);
  const std::size_t all = work.wanted * work.where.size();
  lines.push_back("plan: trace the program once; check which consistency it needs; name its write pattern;");
  lines.push_back(fmt::format(
      "      run it {} times in its own directory and {} times on the burst buffer ({}), each from the same",
      work.wanted, work.wanted, fmt::join(models, ", then ")));
  lines.push_back("      start and with the results compared; fit its I/O and run times; make a page");
  std::size_t done = 0;
  for (const std::size_t n : work.done) done += std::min(n, work.wanted);
  if (done > 0) lines.push_back(fmt::format("      {} of {} runs are there already, in {}", done, all, out));
  if (const auto left = left_s(work))
    lines.push_back(fmt::format("estimate: about {} for the runs", seconds(*left)));
  else
    lines.push_back(fmt::format(
        "estimate: {} times as long as the program takes, and some seconds; more when one run is known",
        1 + all));
  if (work.budget_s)
    lines.push_back(fmt::format("budget: {}; fewer runs if need be, but never fewer than {} of each",
                                seconds(*work.budget_s), kFewestRuns));
  return lines;
}

}  // namespace weir::study
