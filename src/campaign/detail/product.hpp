#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.hpp"
#include "campaign/detail/constraint.hpp"
#include "campaign/grid.hpp"

namespace weir::campaign::detail {

// The product of all factors' levels under the constraints: counted by parts, walked with pruning.
class Product {
 public:
  static constexpr std::uint64_t kMostCounted = 1'000'000'000;  // candidates of one part

  static Result<Product> of(const Grid& grid);

  std::uint64_t size() const { return size_; }

  // Configurations that meet the first `constraints` of the constraints. Factors that share no constraint are
  // counted apart and multiplied.
  Result<std::uint64_t> count(std::size_t constraints) const;
  Result<std::uint64_t> count() const { return count(constraints_.size()); }

  // Every valid configuration in ascending order (the last factor runs fastest) until `use` returns false.
  Result<void> walk(const std::function<bool(const Configuration&)>& use) const;

  // The first constraint that does not hold, or null.
  Result<const Constraint*> violated(const Configuration& configuration) const;

  std::uint32_t levels(std::size_t factor) const { return levels_[factor]; }
  std::size_t factors() const { return levels_.size(); }

  // Why nothing is valid.
  Error nothing_left() const;

 private:
  Error divided_by_zero(const Constraint& constraint, const Configuration& at) const;
  // Walks the levels of `factors` alone, under constraints that read nothing else.
  Result<void> walk_part(const std::vector<std::uint32_t>& factors,
                         const std::vector<const Constraint*>& under,
                         const std::function<bool(const Configuration&)>& use) const;

  std::vector<std::uint32_t> levels_;
  std::vector<Constraint> constraints_;
  std::uint64_t size_ = 1;
  const Grid* grid_ = nullptr;
};

}  // namespace weir::campaign::detail
