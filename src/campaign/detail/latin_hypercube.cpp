#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "base/random.hpp"
#include "campaign/detail/sampling.hpp"

namespace weir::campaign::detail {
namespace {

// Points as rows. A row is sound when it is valid and no other row equals it.
class Hypercube {
 public:
  Hypercube(const Product& product, std::uint64_t points, std::uint64_t seed)
      : product_(product),
        random_(seed),
        rows_(points, Configuration(product.factors())),
        sound_(points, false) {
    for (std::size_t factor = 0; factor < product.factors(); ++factor) fill(factor);
  }

  Result<void> settle() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto fit = fits(rows_[i]);
      if (!fit) return fit.error();
      if (*fit) take(i);
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (sound_[i]) continue;
      const auto swapped = swap_in(i);
      if (!swapped) return swapped.error();
      if (*swapped) continue;
      const auto drawn = draw(i);
      if (!drawn) return drawn.error();
    }
    return std::all_of(sound_.begin(), sound_.end(), [](bool sound) { return sound; }) ? Result<void>()
                                                                                       : fill_from_walk();
  }

  std::vector<Configuration> take_rows() && {
    std::sort(rows_.begin(), rows_.end());
    return std::move(rows_);
  }

 private:
  // One value from each of as many equal strata of the levels as there are points, in random order.
  void fill(std::size_t factor) {
    const auto points = static_cast<double>(rows_.size());
    const std::uint32_t levels = product_.levels(factor);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double at = (static_cast<double>(i) + random_.uniform()) / points * levels;
      rows_[i][factor] = std::min(static_cast<std::uint32_t>(at), levels - 1);
    }
    for (std::size_t i = rows_.size(); i > 1; --i)
      std::swap(rows_[i - 1][factor], rows_[random_.below(i)][factor]);
  }

  Result<bool> fits(const Configuration& row) const {
    const auto violated = product_.violated(row);
    if (!violated) return violated.error();
    return *violated == nullptr && !taken_.contains(row);
  }
  void take(std::size_t i) {
    sound_[i] = true;
    taken_.insert(rows_[i]);
  }

  // Exchanges one factor's level with another row's, which leaves every factor's balance as it is.
  Result<bool> swap_in(std::size_t i) {
    constexpr int kTries = 200;
    for (int attempt = 0; attempt < kTries && rows_.size() > 1; ++attempt) {
      const std::size_t j = random_.below(rows_.size());
      const std::size_t factor = random_.below(product_.factors());
      if (rows_[i][factor] == rows_[j][factor]) continue;
      if (sound_[j]) taken_.erase(rows_[j]);
      std::swap(rows_[i][factor], rows_[j][factor]);
      const auto here = fits(rows_[i]);
      if (!here) return here.error();
      const auto there = fits(rows_[j]);
      if (!there) return there.error();
      if (*here && rows_[i] != rows_[j] && (*there || !sound_[j])) {
        take(i);
        if (*there) take(j);
        return true;
      }
      std::swap(rows_[i][factor], rows_[j][factor]);
      if (sound_[j]) taken_.insert(rows_[j]);
    }
    return false;
  }

  // Of some valid configurations drawn at random, the one whose levels the rows use least.
  Result<bool> draw(std::size_t i) {
    constexpr int kTries = 2000;
    constexpr int kEnough = 16;
    std::optional<Configuration> best;
    double least = std::numeric_limits<double>::infinity();
    Configuration candidate(product_.factors());
    for (int attempt = 0, found = 0; attempt < kTries && found < kEnough; ++attempt) {
      for (std::size_t f = 0; f < candidate.size(); ++f)
        candidate[f] = static_cast<std::uint32_t>(random_.below(product_.levels(f)));
      const auto fit = fits(candidate);
      if (!fit) return fit.error();
      if (!*fit) continue;
      ++found;
      const double load = load_of(candidate);
      if (load < least) {
        least = load;
        best = candidate;
      }
    }
    if (!best) return false;
    rows_[i] = *std::move(best);
    take(i);
    return true;
  }
  double load_of(const Configuration& candidate) {
    if (uses_.empty()) {
      for (std::size_t f = 0; f < product_.factors(); ++f) uses_.emplace_back(product_.levels(f), 0.0);
      for (const Configuration& row : taken_)
        for (std::size_t f = 0; f < row.size(); ++f) uses_[f][row[f]] += product_.levels(f);
    }
    double load = 0;
    for (std::size_t f = 0; f < candidate.size(); ++f) load += uses_[f][candidate[f]];
    return load;
  }

  // So few are valid that drawing meets none: choose among all that are left.
  Result<void> fill_from_walk() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (!sound_[i]) open.push_back(i);
    std::vector<Configuration> reservoir;  // algorithm R
    std::uint64_t seen = 0;
    const auto walked = product_.walk([&](const Configuration& configuration) {
      if (taken_.contains(configuration)) return true;
      ++seen;
      if (reservoir.size() < open.size())
        reservoir.push_back(configuration);
      else if (const std::uint64_t at = random_.below(seen); at < reservoir.size())
        reservoir[at] = configuration;
      return true;
    });
    if (!walked) return walked.error();
    for (std::size_t i = 0; i < open.size(); ++i) rows_[open[i]] = reservoir.at(i);
    return {};
  }

  const Product& product_;
  Random random_;
  std::vector<Configuration> rows_;
  std::set<Configuration> taken_;
  std::vector<std::vector<double>> uses_;  // by factor and level, of the rows settled without drawing
  std::vector<bool> sound_;                // by row: valid, and in taken_
};

}  // namespace

Result<std::vector<Configuration>> latin_hypercube(const Product& product, std::uint64_t valid,
                                                   std::uint64_t points, std::uint64_t seed) {
  if (points == valid) return random_share(product, valid, valid, seed);
  Hypercube cube(product, points, seed);
  if (auto settled = cube.settle(); !settled) return settled.error();
  return std::move(cube).take_rows();
}

}  // namespace weir::campaign::detail
