#include "campaign/grid.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "campaign/detail/level.hpp"
#include "campaign/detail/product.hpp"
#include "campaign/detail/sampling.hpp"

namespace weir::campaign {
namespace {

constexpr std::uint64_t kMostListed = 10'000'000;

// How many configurations the design takes of the valid ones.
Result<std::uint64_t> designed(const Design& design, std::uint64_t valid) {
  switch (design.kind) {
    case Design::Kind::full:
      return valid;
    case Design::Kind::random: {
      const double wanted = std::round(design.share * static_cast<double>(valid));
      return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, valid);
    }
    case Design::Kind::latin:
      if (design.points > valid)
        return Error{Errc::bad_data, fmt::format("the design asks for {} points of {} valid configurations",
                                                 format_count(design.points), format_count(valid))}
            .with_remedy("ask for fewer points, or for kind = \"full\"");
      return design.points;
    case Design::Kind::list:
      return static_cast<std::uint64_t>(design.list.size());
  }
  return Error{Errc::internal, "no such design"};
}

struct Measured {
  detail::Product product;
  GridSize size;
};

Result<Measured> measure(const Grid& grid) {
  auto product = detail::Product::of(grid);
  if (!product) return product.error();
  Measured measured{*std::move(product), {}};
  measured.size.product = measured.product.size();
  const auto valid = measured.product.count();
  if (!valid) return valid.error();
  if (*valid == 0) return measured.product.nothing_left();
  measured.size.valid = *valid;
  const auto taken = designed(grid.design, *valid);
  if (!taken) return taken.error();
  measured.size.designed = *taken;
  return measured;
}

}  // namespace

Result<GridSize> size_of(const Grid& grid) {
  return measure(grid).transform([](const Measured& measured) { return measured.size; });
}

Result<std::vector<Configuration>> enumerate(const Grid& grid) {
  auto measured = measure(grid);
  if (!measured) return measured.error();
  const GridSize& size = measured->size;
  if (size.designed > kMostListed)
    return Error{Errc::too_big, fmt::format("the design has {} configurations, more than {}",
                                            format_count(size.designed), format_count(kMostListed))}
        .with_remedy("leave out levels, or take a part: [design] kind = \"random\" or \"latin\"");
  if (grid.design.kind == Design::Kind::random && size.valid > detail::Product::kMostCounted)
    return Error{Errc::too_big, fmt::format("a share of {} configurations, more than 10^9, cannot be drawn",
                                            format_count(size.valid))}
        .with_remedy("use [design] kind = \"latin\" with a number of points");
  switch (grid.design.kind) {
    case Design::Kind::latin:
      return detail::latin_hypercube(measured->product, size.valid, size.designed, grid.seed);
    case Design::Kind::list:
      return detail::listed(grid, measured->product);
    case Design::Kind::random:
      return detail::random_share(measured->product, size.valid, size.designed, grid.seed);
    case Design::Kind::full:
      break;
  }
  std::vector<Configuration> all;
  all.reserve(size.designed);
  const auto walked = measured->product.walk([&](const Configuration& configuration) {
    all.push_back(configuration);
    return true;
  });
  if (!walked) return walked.error();
  return all;
}

std::vector<std::string> levels_of(const Grid& grid, const Configuration& configuration) {
  std::vector<std::string> levels;
  levels.reserve(configuration.size());
  for (std::size_t f = 0; f < configuration.size(); ++f)
    levels.push_back(detail::plain(grid.factors.at(f).levels.at(configuration[f])));
  return levels;
}

}  // namespace weir::campaign
