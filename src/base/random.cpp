#include "base/random.hpp"

#include <cmath>

#include "base/check.hpp"

namespace weir {

Random::Random(std::uint64_t seed, std::uint64_t stream) : engine_(seed, stream) {}

double Random::uniform() {
  // 53 bits in the middle of their cells, so that neither 0 nor 1 comes out.
  return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53;
}

std::uint64_t Random::below(std::uint64_t limit) {
  WEIR_CHECK(limit > 0);
  const std::uint64_t unfair = -limit % limit;  // 2^64 mod limit low values would come up once too often
  std::uint64_t bits = engine_();
  while (bits < unfair) bits = engine_();
  return bits % limit;
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  // Marsaglia's polar method gives two at a time.
  double u = 0, v = 0, square = 0;
  do {
    u = 2 * uniform() - 1;
    v = 2 * uniform() - 1;
    square = u * u + v * v;
  } while (square >= 1 || square == 0);
  const double factor = std::sqrt(-2 * std::log(square) / square);
  spare_normal_ = v * factor;
  has_spare_ = true;
  return u * factor;
}

double Random::exponential() { return -std::log(uniform()); }

}  // namespace weir
