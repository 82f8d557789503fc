#include "stats/goodness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "stats/detail/em_ladder.hpp"

namespace weir::stats {

namespace {

struct Distances {
  double ks = 0;
  double ad = 0;
};

Distances distances(std::vector<double> sorted, const Mixture& mixture) {
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  Distances result;
  double sum = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    // A value the mixture holds impossible (underflow far in a tail) counts as the least positive
    // probability.
    const double below = std::max(mixture.cdf(sorted[i]), std::numeric_limits<double>::min());
    const double above = std::max(mixture.survival(sorted[i]), std::numeric_limits<double>::min());
    const auto rank = static_cast<double>(i);
    result.ks = std::max({result.ks, (rank + 1) / n - below, below - rank / n});
    sum += (2 * rank + 1) * std::log(below) + (2 * (n - rank) - 1) * std::log(above);
  }
  result.ad = -n - sum / n;
  return result;
}

}  // namespace

double kolmogorov_smirnov(std::span<const double> values, const Mixture& mixture) {
  return distances({values.begin(), values.end()}, mixture).ks;
}

double anderson_darling(std::span<const double> values, const Mixture& mixture) {
  return distances({values.begin(), values.end()}, mixture).ad;
}

Result<Goodness> test_goodness(std::span<const double> values, const Mixture& mixture,
                               const GoodnessOptions& options) {
  if (options.replicates < 1)
    return Error{Errc::usage, fmt::format("{} bootstrap replicates; give at least 1", options.replicates)};
  if (values.empty()) return Error{Errc::bad_data, "no values"};
  const auto k = static_cast<int>(mixture.components.size());
  if (auto fault = detail::wrong_options(k, options.em)) return *fault;
  const Distances seen = distances({values.begin(), values.end()}, mixture);
  std::vector<Distances> simulated(static_cast<std::size_t>(options.replicates));
  parallel_for(
      simulated.size(),
      [&](std::size_t i) {
        Random random(options.seed, i + 1);
        std::vector<double> drawn(values.size());
        for (double& x : drawn) x = mixture.sample(random);
        auto sample = detail::PreparedSample::make(drawn);
        // A draw without spread cannot be refitted; the mixture it came from stands in.
        const Mixture refitted =
            sample ? detail::refit(detail::Workbench(*std::move(sample), k), mixture, options.em) : mixture;
        simulated[i] = distances(std::move(drawn), refitted);
      },
      options.threads);
  int ks_as_far = 1;
  int ad_as_far = 1;
  for (const Distances& one : simulated) {
    ks_as_far += one.ks >= seen.ks;
    ad_as_far += one.ad >= seen.ad;
  }
  const double all = options.replicates + 1;
  return Goodness{seen.ks, ks_as_far / all, seen.ad, ad_as_far / all, options.replicates};
}

}  // namespace weir::stats
