#include "stats/detail/calibrated_tail.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/parallel.hpp"
#include "stats/detail/refit.hpp"

namespace weir::stats::detail {
namespace {

constexpr std::size_t kMostRefitted = 20'000;  // a model of more values than this is as good as known

}  // namespace

CalibratedTail::CalibratedTail(std::span<const double> baseline, const Mixture& model, Better better,
                               std::size_t refits, std::uint64_t seed)
    : model_(model), better_(better) {
  const std::size_t n = std::min(baseline.size(), kMostRefitted);
  std::vector<std::optional<Mixture>> found(refits);
  parallel_for(refits, [&](std::size_t r) {
    Random random(seed, 1 + r);
    std::vector<double> drawn(n);
    for (double& x : drawn) x = model_.sample(random);
    found[r] = refit(drawn, model_);
  });
  for (auto& mixture : found)
    if (mixture) refitted_.push_back(*std::move(mixture));
}

double CalibratedTail::plain(double x) const {
  return better_ == Better::higher ? model_.cdf(x) : model_.survival(x);
}

double CalibratedTail::calibrated(double plain_tail) const {
  if (refitted_.empty() || !(plain_tail > 0)) return plain_tail;
  double sum = 0;
  for (const Mixture& mixture : refitted_)
    sum +=
        plain(better_ == Better::higher ? mixture.quantile(plain_tail) : mixture.upper_quantile(plain_tail));
  return sum / static_cast<double>(refitted_.size());
}

}  // namespace weir::stats::detail
