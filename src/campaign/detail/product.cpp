#include "campaign/detail/product.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/interrupt.hpp"
#include "base/units.hpp"

namespace weir::campaign::detail {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{1} << 62U;

}  // namespace

Result<Product> Product::of(const Grid& grid) {
  Product product;
  product.grid_ = &grid;
  for (const Factor& factor : grid.factors) {
    if (factor.levels.empty())
      return Error{Errc::bad_data, fmt::format("factor '{}' has no levels", factor.name)};
    const auto levels = static_cast<std::uint64_t>(factor.levels.size());
    if (product.size_ > kLargest / levels)
      return Error{Errc::too_big, "the grid has more than 4e18 configurations"}.with_remedy(
          "leave out factors or levels");
    product.size_ *= levels;
    product.levels_.push_back(static_cast<std::uint32_t>(levels));
  }
  for (const std::string& text : grid.constraints) {
    auto constraint = Constraint::compile(text, grid);
    if (!constraint) return constraint.error();
    product.constraints_.push_back(*std::move(constraint));
  }
  return product;
}

Error Product::divided_by_zero(const Constraint& constraint, const Configuration& at) const {
  std::string levels;
  for (const std::uint32_t factor : constraint.factors())
    levels += fmt::format("{}{} = {}", levels.empty() ? "" : ", ", grid_->factors[factor].name,
                          grid_->factors[factor].levels[at[factor]].text);
  return Error{Errc::bad_data,
               fmt::format("constraint '{}' divides by zero at {}", constraint.text(), levels)};
}

Result<void> Product::walk_part(const std::vector<std::uint32_t>& factors,
                                const std::vector<const Constraint*>& under,
                                const std::function<bool(const Configuration&)>& use) const {
  // A constraint is asked as soon as the last factor it reads has a level.
  std::vector<std::vector<const Constraint*>> at_depth(factors.size());
  Configuration at(levels_.size(), 0);
  for (const Constraint* constraint : under) {
    std::size_t depth = 0;
    for (std::size_t d = 0; d < factors.size(); ++d)
      if (std::binary_search(constraint->factors().begin(), constraint->factors().end(), factors[d]))
        depth = d;
    if (constraint->factors().empty()) {  // reads fixed fields only
      const auto answer = constraint->holds(at.data());
      if (answer == Constraint::Answer::divided_by_zero) return divided_by_zero(*constraint, at);
      if (answer == Constraint::Answer::no) return {};
      continue;
    }
    at_depth[depth].push_back(constraint);
  }
  if (factors.empty()) {
    use(at);
    return {};
  }
  std::size_t depth = 0;
  std::uint64_t visited = 0;
  for (;;) {
    if ((++visited & 0xfffffU) == 0)
      if (auto go_on = check_interrupt(); !go_on) return go_on.error();
    bool valid = true;
    for (const Constraint* constraint : at_depth[depth]) {
      const auto answer = constraint->holds(at.data());
      if (answer == Constraint::Answer::divided_by_zero) return divided_by_zero(*constraint, at);
      valid = valid && answer == Constraint::Answer::yes;
      if (!valid) break;
    }
    if (valid && depth + 1 < factors.size()) {
      at[factors[++depth]] = 0;
      continue;
    }
    if (valid && !use(at)) return {};
    while (++at[factors[depth]] == levels_[factors[depth]]) {
      at[factors[depth]] = 0;
      if (depth == 0) return {};
      --depth;
    }
  }
}

Result<void> Product::walk(const std::function<bool(const Configuration&)>& use) const {
  std::vector<std::uint32_t> factors(levels_.size());
  std::iota(factors.begin(), factors.end(), 0U);
  std::vector<const Constraint*> under;
  for (const Constraint& constraint : constraints_) under.push_back(&constraint);
  return walk_part(factors, under, use);
}

Result<std::uint64_t> Product::count(std::size_t constraints) const {
  // Factors joined by a constraint belong to one part: a forest of parents.
  std::vector<std::uint32_t> parent(levels_.size());
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&](std::uint32_t factor) {
    while (parent[factor] != factor) factor = parent[factor] = parent[parent[factor]];
    return factor;
  };
  for (std::size_t c = 0; c < constraints; ++c)
    for (const std::uint32_t factor : constraints_[c].factors())
      parent[root(factor)] = root(constraints_[c].factors().front());

  std::uint64_t total = 1;
  std::vector<const Constraint*> constant;
  for (std::size_t c = 0; c < constraints; ++c)
    if (constraints_[c].factors().empty()) constant.push_back(&constraints_[c]);
  if (!constant.empty()) {
    bool met = false;
    if (auto walked = walk_part({}, constant, [&](const Configuration&) { return met = true; }); !walked)
      return walked.error();
    if (!met) return std::uint64_t{0};
  }
  for (std::uint32_t top = 0; top < levels_.size(); ++top) {
    if (root(top) != top) continue;
    std::vector<std::uint32_t> factors;
    std::uint64_t candidates = 1;
    for (std::uint32_t factor = 0; factor < levels_.size(); ++factor)
      if (root(factor) == top) {
        factors.push_back(factor);
        candidates *= levels_[factor];
      }
    std::vector<const Constraint*> under;
    for (std::size_t c = 0; c < constraints; ++c)
      if (!constraints_[c].factors().empty() && root(constraints_[c].factors().front()) == top)
        under.push_back(&constraints_[c]);
    if (under.empty()) {
      total *= candidates;
      continue;
    }
    if (candidates > kMostCounted)
      return Error{Errc::too_big,
                   fmt::format("the constraints join factors with {} combinations, more than 10^9",
                               format_count(candidates))}
          .with_remedy("leave out levels or constraints");
    std::uint64_t valid = 0;
    if (auto walked = walk_part(factors, under, [&](const Configuration&) { return ++valid > 0; }); !walked)
      return walked.error();
    total *= valid;
  }
  return total;
}

Result<const Constraint*> Product::violated(const Configuration& configuration) const {
  for (const Constraint& constraint : constraints_) {
    const auto answer = constraint.holds(configuration.data());
    if (answer == Constraint::Answer::divided_by_zero) return divided_by_zero(constraint, configuration);
    if (answer == Constraint::Answer::no) return &constraint;
  }
  return static_cast<const Constraint*>(nullptr);
}

Error Product::nothing_left() const {
  std::uint64_t before = size_;
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    const auto left = count(c + 1);
    if (!left) return left.error();
    if (*left == 0)
      return Error{Errc::bad_data, fmt::format("no configuration is valid: constraint '{}' leaves none of {}",
                                               constraints_[c].text(), format_count(before))}
          .with_remedy("mend the constraint or the levels it compares");
    before = *left;
  }
  return Error{Errc::internal, "a grid with valid configurations was said to have none"};
}

}  // namespace weir::campaign::detail
