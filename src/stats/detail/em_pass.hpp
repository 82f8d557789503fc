#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "stats/detail/prepared.hpp"
#include "stats/family.hpp"

namespace weir::stats::detail {

inline constexpr int kMaxComponents = 10;

// A mixture in the coordinates of PreparedSample.
//   location-scale families: z = sharpness·(u - centre), so sharpness is 1/scale
//   gamma:                   centre is the mean and sharpness the shape of x/mean(x)
// Sharpness grows as a component narrows in both, and the floor on the scale is a cap on it.
struct State {
  int components = 0;
  std::array<double, kMaxComponents> weight{};
  std::array<double, kMaxComponents> centre{};
  std::array<double, kMaxComponents> sharpness{};
};

// Derivatives of one component's weighted log-likelihood Σ r·log f in its local coordinates (α, β) at 0, in
// which every family here is concave:
//   location-scale: z becomes (1+α)z - β          gamma: shape a(1+α), rate (a(1+α) - β√a)/mean
// information is minus the second derivatives.
struct ComponentSums {
  double mass = 0;  // Σ r
  double alpha = 0, beta = 0;
  double alpha_alpha = 0, alpha_beta = 0, beta_beta = 0;
  // What a closed-form maximum needs. Normal: Σ r z, Σ r z². Gamma: Σ r e, Σ r q with e = x/mean - 1 and
  // q = log(x/mean) - e. Others: unused.
  double first = 0, second = 0;
};

struct PassResult {
  double log_likelihood = 0;  // of the coordinates; PreparedSample::log_jacobian leads back to x
  std::array<ComponentSums, kMaxComponents> components;
};

// The matrix Σ weight·(E[ssᵀ] - E[s]E[s]ᵀ) of the scores s under each value's responsibilities: the
// information lost by not knowing the components (Louis, 1982). Rows 3j, 3j+1, 3j+2 are component j's log
// weight, α and β.
using MissingInformation = std::array<std::array<double, 3 * kMaxComponents>, 3 * kMaxComponents>;

// One pass over the sample: responsibilities, log-likelihood and sums, block by block; nothing of size n is
// kept.
PassResult em_pass(const PreparedSample& sample, Family family, const State& state);
PassResult em_pass(const PreparedSample& sample, Family family, const State& state,
                   MissingInformation& missing);

// Weight times responsibility of every entry: what an M step holds fixed. Components lie one after another,
// each padded like the sample's blocks.
struct Responsibilities {
  std::size_t stride = 0;
  std::vector<double> shares;
};
// The same pass for an M step of several steps: keeps the responsibilities, 8 bytes for each entry and
// component.
PassResult em_pass(const PreparedSample& sample, Family family, const State& state, Responsibilities& kept);
// One component's sums at `at` under kept responsibilities.
ComponentSums held_sums(const PreparedSample& sample, Family family, const Responsibilities& kept,
                        int component, const State& at);

// Whether the processor's wider instructions are used where it has them: on unless a test compares. Not for
// use while passes run in other threads.
void allow_wide_instructions(bool allowed);

}  // namespace weir::stats::detail
