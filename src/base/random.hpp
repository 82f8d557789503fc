#pragma once

#include <cstdint>

#include <pcg_random.hpp>

namespace weir {

// A seeded source of random numbers. The same seed and stream give the same numbers on every machine:
// the generator is PCG64, and nothing here uses the standard library's distributions, whose results
// differ between libraries. Different streams of one seed are independent: give each task its own.
class Random {
 public:
  using result_type = std::uint64_t;

  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() { return engine_(); }

  double uniform();                          // in the open interval (0, 1): safe to take the logarithm of
  std::uint64_t below(std::uint64_t limit);  // 0 .. limit-1, without bias; limit is at least 1
  double normal();                           // mean 0, variance 1
  double exponential();                      // mean 1

 private:
  pcg64 engine_;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace weir
