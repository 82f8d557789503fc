#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

// Four doubles at a time, with exp and log, for loops over a sample. GCC and Clang turn these into AVX2 where
// a function is compiled for it and into pairs of SSE2 otherwise; neither uses fused operations, so both give
// the same bits. Everything is inlined into the caller: a Vec never crosses a call.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

#define WEIR_INLINE [[gnu::always_inline]] inline

namespace weir::stats::detail {

inline constexpr int kLanes = 4;

using Vec = double __attribute__((vector_size(32)));
using VecBits = std::int64_t __attribute__((vector_size(32)));

WEIR_INLINE Vec splat(double x) { return Vec{x, x, x, x}; }

WEIR_INLINE Vec load(const double* from) {
  Vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

WEIR_INLINE void store(double* to, const Vec& v) { std::memcpy(to, &v, sizeof v); }

WEIR_INLINE double sum(const Vec& v) { return (v[0] + v[1]) + (v[2] + v[3]); }

WEIR_INLINE Vec max(const Vec& a, const Vec& b) { return a > b ? a : b; }
WEIR_INLINE Vec min(const Vec& a, const Vec& b) { return a < b ? a : b; }
WEIR_INLINE Vec abs(const Vec& a) {
  VecBits bits;
  std::memcpy(&bits, &a, sizeof bits);
  bits &= std::numeric_limits<std::int64_t>::max();
  Vec result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

// Whether any of the four comparisons held.
WEIR_INLINE bool any(const VecBits& held) {
#if defined(__x86_64__)
  using HalfBits = std::int64_t __attribute__((vector_size(16)));
  using Half = double __attribute__((vector_size(16)));
  const HalfBits both = __builtin_shufflevector(held, held, 0, 1) | __builtin_shufflevector(held, held, 2, 3);
  Half signs;
  std::memcpy(&signs, &both, sizeof signs);
  return __builtin_ia32_movmskpd(signs) != 0;
#else
  return (held[0] | held[1] | held[2] | held[3]) != 0;
#endif
}

// The magnitude of one with the sign of the other.
WEIR_INLINE Vec with_sign_of(const Vec& magnitude, const Vec& sign) {
  VecBits bits, signs;
  std::memcpy(&bits, &magnitude, sizeof bits);
  std::memcpy(&signs, &sign, sizeof signs);
  bits =
      (bits & std::numeric_limits<std::int64_t>::max()) | (signs & std::numeric_limits<std::int64_t>::min());
  Vec result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

// exp of -700 to 700 to about one unit in the last place (the rational form of Cephes).
WEIR_INLINE Vec exp_within(const Vec& x) {
  // Adding 1.5·2^52 rounds to an integer and leaves it in the low bits.
  const Vec shifter = splat(6755399441055744.0);
  const Vec shifted = x * 1.4426950408889634073599 + shifter;
  const Vec n = shifted - shifter;
  Vec r = x - n * 6.93145751953125e-1;
  r = r - n * 1.42860682030941723212e-6;
  const Vec rr = r * r;
  const Vec p =
      r * ((1.26177193074810590878e-4 * rr + 3.02994407707441961300e-2) * rr + 9.99999999999999999910e-1);
  const Vec q =
      ((3.00198505138664455042e-6 * rr + 2.52448340349684104192e-3) * rr + 2.27265548208155028766e-1) * rr +
      2.00000000000000000005e0;
  const Vec value = 1.0 + 2.0 * (p / (q - p));
  VecBits power;
  std::memcpy(&power, &shifted, sizeof power);
  VecBits bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits += power << 52;
  Vec result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

// exp, which stays at exp(-700) below -700, nothing in any sum here, and at exp(700) above 700.
WEIR_INLINE Vec exp(const Vec& x) { return exp_within(min(max(x, splat(-700)), splat(700))); }
WEIR_INLINE Vec exp_of_negative(const Vec& x) { return exp_within(max(x, splat(-700))); }

// Natural logarithm of positive normal numbers, to about one unit in the last place (Cephes).
WEIR_INLINE Vec log(const Vec& x) {
  VecBits bits;
  std::memcpy(&bits, &x, sizeof bits);
  // x = m·2^e with m in [sqrt(1/2), sqrt(2)).
  const std::int64_t root_half = 0x3fe6a09e667f3bcd;
  VecBits biased = bits - root_half;
  const VecBits exponent_high = biased & ~((std::int64_t{1} << 52) - 1);
  const VecBits mantissa = bits - exponent_high;
  Vec m;
  std::memcpy(&m, &mantissa, sizeof m);
  // The exponent as a double, without an integer conversion (AVX2 has none for 64 bits).
  const VecBits magic = (exponent_high >> 52) + std::int64_t{0x4338000000000000};
  Vec e;
  std::memcpy(&e, &magic, sizeof e);
  e = e - 6755399441055744.0;
  const Vec f = m - 1.0;
  const Vec ff = f * f;
  const Vec p =
      ((((1.01875663804580931796e-4 * f + 4.97494994976747001425e-1) * f + 4.70579119878881725854e0) * f +
        1.44989225341610930846e1) *
           f +
       1.79368678507819816313e1) *
          f +
      7.70838733755885391666e0;
  const Vec q =
      ((((f + 1.12873587189167450590e1) * f + 4.52279145837532221105e1) * f + 8.29875266912776603211e1) * f +
       7.11544750618563894466e1) *
          f +
      2.31251620126765340583e1;
  const Vec tail = f * (ff * p / q) - e * 2.121944400546905827679e-4 - 0.5 * ff;
  return f + tail + e * 0.693359375;
}

}  // namespace weir::stats::detail

#pragma GCC diagnostic pop
