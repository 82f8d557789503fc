// How fast and how well mixtures are fitted, against a plain EM in the same run.
//
// mixture_fit: 30 models on 60 real configurations (or simulated ones where the measurements are absent).
// mixture_fit 300: the same on 300; says whether a k-means-started EM was ever above.
// mixture_fit all: every configuration on all cores, with the totals of Xu et al.'s tables.
// mixture_fit memory N: one group of N values; bytes per value at the peak.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <time.h>

#include "base/parallel.hpp"
#include "plain_em.hpp"
#include "stats/measured_test.hpp"
#include "stats/selection.hpp"

namespace {

using weir::stats::measured::Configuration;
using namespace weir::stats;

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<Configuration> samples() {
  auto real = weir::stats::measured::random_writers();
  if (!real.empty()) return real;
  std::printf("the measurements in ../shared/data are not here: simulated samples instead\n");
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    weir::Random random(seed);
    const Mixture truth{Family::lognormal,
                        {{0.3, {11, 0.03, 0}}, {0.5, {11.2, 0.08, 0}}, {0.2, {11.6, 0.05, 0}}}};
    Configuration c{"simulated " + std::to_string(seed), {}};
    for (int i = 0; i < 150; ++i) c.values.push_back(truth.sample(random));
    real.push_back(std::move(c));
  }
  return real;
}

int against_plain(std::size_t count) {
  const auto all = samples();
  const std::size_t stride = std::max<std::size_t>(1, all.size() / count);
  std::vector<double> times, plain_times;
  std::size_t compared = 0, above = 0, below = 0;
  double worst = 0;
  for (std::size_t c = 0, done = 0; c < all.size() && done < count; c += stride, ++done) {
    const auto& values = all[c].values;
    double began = cpu_seconds();
    const auto selection = select_model(values);
    times.push_back(cpu_seconds() - began);
    if (!selection) continue;
    for (const Family family : kMixtureFamilies) {
      began = cpu_seconds();
      const auto fits = fit_mixtures(values, family, 5);
      if (!fits) continue;
      began = cpu_seconds();
      const weir::bench::PlainEm plain(values, family);
      for (int k = 1; k <= static_cast<int>(fits->size()); ++k) {
        const double other = plain.fit(k).log_likelihood;
        const double gain = (*fits)[static_cast<std::size_t>(k - 1)].log_likelihood - other;
        ++compared;
        above += gain > 1e-3;
        below +=
            gain < -1e-6 * std::abs(other);  // plain EM stops within 1e-8 of its log-likelihood at each step
        if (gain < -1e-6 * std::abs(other))
          std::printf("  below: %s, %s with %d components, %.6f against %.6f\n", all[c].key.c_str(),
                      std::string(name(family)).c_str(), k, other + gain, other);
        worst = std::min(worst, gain);
      }
      plain_times.push_back(cpu_seconds() - began);
    }
  }
  const auto mean = [](const std::vector<double>& v, double parts) {
    double sum = 0;
    for (const double x : v) sum += x;
    return v.empty() ? 0 : sum / static_cast<double>(v.size()) * parts;
  };
  const double ours = mean(times, 1), plain = mean(plain_times, 6);
  std::sort(times.begin(), times.end());
  std::printf("%zu configurations of %zu values, 30 models each, one core\n", times.size(),
              all[0].values.size());
  std::printf("  select_model      %8.2f ms mean, %.2f ms median, with standard errors and ICL\n", 1e3 * ours,
              1e3 * times[times.size() / 2]);
  std::printf("  plain k-means EM  %8.2f ms mean, one start: %.0f times select_model's\n", 1e3 * plain,
              plain / ours);
  std::printf(
      "log-likelihood against plain k-means EM on %zu models: above on %zu, below on %zu (worst %.2g)\n",
      compared, above, below, worst);
  return below == 0 ? 0 : 1;
}

int everything() {
  const auto all = samples();
  std::vector<Selection> selections(all.size());
  const auto began = std::chrono::steady_clock::now();
  const double cpu = cpu_seconds();
  weir::parallel_for(all.size(), [&](std::size_t i) {
    if (auto selection = select_model(all[i].values)) selections[i] = *std::move(selection);
  });
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::printf("%zu configurations in %.1f s on %u cores, %.2f ms of processor each\n", all.size(), wall,
              weir::usable_cores(), 1e3 * (cpu_seconds() - cpu) / static_cast<double>(all.size()));
  const Totals sums = totals(selections);
  std::printf("%-12s %14s %6s %9s   mean ms by components\n", "family", "sum best BIC", "best", "share");
  for (const auto& row : sums.families) {
    std::printf("%-12s %14.0f %6zu %8.1f%%  ", std::string(name(row.family)).c_str(), row.sum_of_best_bic,
                row.best, 100 * static_cast<double>(row.best) / static_cast<double>(sums.groups));
    for (const double seconds : row.seconds) std::printf(" %6.3f", 1e3 * seconds);
    std::printf("\n");
  }
  std::printf("components:");
  for (const std::size_t count : sums.best_components)
    std::printf(" %zu (%.1f %%)", count, 100 * static_cast<double>(count) / static_cast<double>(sums.groups));
  std::printf("\n%zu groups (%.0f %%) have their two best models within 2 BIC\n", sums.close,
              100 * static_cast<double>(sums.close) / static_cast<double>(sums.groups));
  return 0;
}

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

int memory(std::size_t n) {
  const long before = peak_kib();
  std::vector<double> values(n);
  weir::Random random(1);
  for (double& x : values) x = std::exp(11 + 0.1 * random.normal() + (random.uniform() < 0.3 ? 0.5 : 0));
  const auto began = std::chrono::steady_clock::now();
  for (const Family family : kMixtureFamilies) {
    const auto fit = fit_mixture(values, family, 2);
    std::printf("%-12s log-likelihood %.1f, %.1f s so far\n", std::string(name(family)).c_str(),
                fit ? fit->log_likelihood : 0,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  const double bytes = 1024.0 * static_cast<double>(peak_kib() - before) / static_cast<double>(n);
  std::printf("%zu values: %.2f bytes per value at the peak, the values themselves included\n", n, bytes);
  return bytes < 20 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "all") == 0) return everything();
  if (argc > 1 && std::strcmp(argv[1], "memory") == 0)
    return memory(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10'000'000);
  return against_plain(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 60);
}
