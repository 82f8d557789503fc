#include "base/random.hpp"
#include "campaign/detail/sampling.hpp"

namespace weir::campaign::detail {

// Selection sampling: Fan, Muller and Rezucha (1962); Knuth's algorithm S.
Result<std::vector<Configuration>> random_share(const Product& product, std::uint64_t valid,
                                                std::uint64_t wanted, std::uint64_t seed) {
  Random random(seed);
  std::vector<Configuration> chosen;
  chosen.reserve(wanted);
  std::uint64_t left = valid;
  const auto walked = product.walk([&](const Configuration& configuration) {
    if (random.below(left--) < wanted - chosen.size()) chosen.push_back(configuration);
    return chosen.size() < wanted;
  });
  if (!walked) return walked.error();
  return chosen;
}

}  // namespace weir::campaign::detail
