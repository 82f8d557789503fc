#pragma once

#include <cmath>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include "stats/detail/em_pass.hpp"
#include "stats/detail/gamma.hpp"
#include "stats/detail/special.hpp"
#include "stats/detail/vector.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"  // a Vec is never passed across a real call here

// What a pass needs of a family, for one component and four values at a time:
//   height   the log density plus log weight, or the weighted density itself where kLinear; and, where
//   kKeeps,
//            a quantity that is dear to compute again
//   point    two quantities p and q to build sums and scores from, from the kept one where there is one
//   add      the sums themselves, kSums of them, which finish() turns into ComponentSums
//   scores   derivatives of the log density in the component's local coordinates
namespace weir::stats::detail {

inline constexpr double kHalfLogTwoPi = 0.91893853320467274178;

struct Constants {
  double offset = 0;  // everything in the log density that does not depend on the value
  double a = 0, b = 0, c = 0, d = 0;
};

struct Point {
  Vec p, q;
};

struct Scores {
  Vec alpha, beta;
};

struct NormalKernel {
  static constexpr bool kLinear = false;
  static constexpr bool kKeeps = false;
  static constexpr int kSums = 3;
  static Constants constants(double weight, double centre, double sharpness) {
    return {std::log(weight * sharpness) - kHalfLogTwoPi, sharpness, sharpness * centre};
  }
  WEIR_INLINE static Vec height(const Constants& k, const Vec& u, const Vec&, Vec&) {
    const Vec z = u * k.a - k.b;
    return k.offset - 0.5 * z * z;
  }
  WEIR_INLINE static void point(const Constants& k, const Vec& u, const Vec&, const Vec&, Point& out) {
    out.p = u * k.a - k.b;
  }
  WEIR_INLINE static void add(const Point& at, const Vec& r, Vec* sums) {
    const Vec rz = r * at.p;
    sums[0] += r;
    sums[1] += rz;
    sums[2] += rz * at.p;
  }
  WEIR_INLINE static void scores(const Constants&, const Point& at, Scores& out) {
    out.alpha = 1.0 - at.p * at.p;
    out.beta = at.p;
  }
  static ComponentSums finish(const Constants&, const double* s) {
    return {s[0], s[0] - s[2], s[1], s[0] + s[2], -s[1], s[0], s[1], s[2]};
  }
};

// Weibull, and Fréchet mirrored: density exp(z - e^z); p = z, q = e^z.
struct SmallestKernel {
  static constexpr bool kLinear = false;
  static constexpr bool kKeeps = true;
  static constexpr int kSums = 5;
  static Constants constants(double weight, double centre, double sharpness) {
    return {std::log(weight * sharpness), sharpness, sharpness * centre};
  }
  WEIR_INLINE static Vec height(const Constants& k, const Vec& u, const Vec&, Vec& kept) {
    const Vec z = u * k.a - k.b;
    kept = exp(z);
    return k.offset + z - kept;
  }
  WEIR_INLINE static void point(const Constants& k, const Vec& u, const Vec&, const Vec& kept, Point& out) {
    out.p = u * k.a - k.b;
    out.q = kept;
  }
  WEIR_INLINE static void add(const Point& at, const Vec& r, Vec* sums) {
    const Vec re = r * at.q;
    const Vec rez = re * at.p;
    sums[0] += r;
    sums[1] += r * at.p;
    sums[2] += re;
    sums[3] += rez;
    sums[4] += rez * at.p;
  }
  WEIR_INLINE static void scores(const Constants&, const Point& at, Scores& out) {
    out.beta = at.q - 1.0;
    out.alpha = 1.0 - at.p * out.beta;
  }
  static ComponentSums finish(const Constants&, const double* s) {
    return {s[0], s[0] + s[1] - s[3], s[2] - s[0], s[4] + s[0], -s[3], s[2], 0, 0};
  }
};

// Log-logistic: density v/(1+v)² with v = e^-|z|; p = z, q = tanh(z/2). The density itself is taken, since
// its logarithm would cost a log for each component; beyond 700 scales it stays at e^-700.
struct LogisticKernel {
  static constexpr bool kLinear = true;
  static constexpr bool kKeeps = true;
  static constexpr int kSums = 6;
  static Constants constants(double weight, double centre, double sharpness) {
    return {weight * sharpness, sharpness, sharpness * centre};
  }
  WEIR_INLINE static Vec height(const Constants& k, const Vec& u, const Vec&, Vec& kept) {
    const Vec z = u * k.a - k.b;
    const Vec v = exp_of_negative(-abs(z));
    const Vec inverse = 1.0 / (1.0 + v);
    const Vec away = (1.0 - v) * inverse;
    kept = with_sign_of(away, z);
    return k.offset * (v * inverse * inverse);
  }
  WEIR_INLINE static void point(const Constants& k, const Vec& u, const Vec&, const Vec& kept, Point& out) {
    out.p = u * k.a - k.b;
    out.q = kept;
  }
  WEIR_INLINE static void add(const Point& at, const Vec& r, Vec* sums) {
    const Vec rt = r * at.q;
    const Vec rw = 0.5 * (r - rt * at.q);
    const Vec rwz = rw * at.p;
    sums[0] += r;
    sums[1] += rt;
    sums[2] += rt * at.p;
    sums[3] += rw;
    sums[4] += rwz;
    sums[5] += rwz * at.p;
  }
  WEIR_INLINE static void scores(const Constants&, const Point& at, Scores& out) {
    out.beta = at.q;
    out.alpha = 1.0 - at.p * at.q;
  }
  static ComponentSums finish(const Constants&, const double* s) {
    return {s[0], s[0] - s[2], s[1], s[5] + s[0], -s[4], s[3], 0, 0};
  }
};

// Gamma around its mean m: p = e = x/m - 1, q = log(x/m) - e, from d = x - 1 and w = log x - d by
// q = w + d(1 - 1/m) + (log(1/m) - 1/m + 1). No large terms cancel, so a = 10^8 keeps its digits.
struct GammaKernel {
  static constexpr bool kLinear = false;
  static constexpr bool kKeeps = false;
  static constexpr int kSums = 3;
  static Constants constants(double weight, double centre, double sharpness) {
    const double gap = (centre - 1) / centre;  // 1 - 1/m
    const double level = gap < 0.9 ? boost::math::log1pmx(-gap, Quiet()) : std::log1p(-gap) + gap;
    // E[q] = ψ(a) - log a; past 10^4 the difference of the two is lost to rounding.
    const double mean_q = sharpness > 1e4 ? -(0.5 + 1 / (12 * sharpness)) / sharpness
                                          : boost::math::digamma(sharpness, Quiet()) - std::log(sharpness);
    return {std::log(weight) + gamma::log_peak(sharpness), sharpness, gap, level, mean_q};
  }
  WEIR_INLINE static Vec height(const Constants& k, const Vec& d, const Vec& w, Vec&) {
    return k.offset + k.a * (w + k.b * d + k.c);
  }
  WEIR_INLINE static void point(const Constants& k, const Vec& d, const Vec& w, const Vec&, Point& out) {
    out.p = d - k.b * d - k.b;  // (1+d)/m - 1
    out.q = w + k.b * d + k.c;
  }
  WEIR_INLINE static void add(const Point& at, const Vec& r, Vec* sums) {
    sums[0] += r;
    sums[1] += r * at.p;
    sums[2] += r * at.q;
  }
  WEIR_INLINE static void scores(const Constants& k, const Point& at, Scores& out) {
    out.alpha = k.a * (at.q - k.d);
    out.beta = std::sqrt(k.a) * at.p;
  }
  static ComponentSums finish(const Constants& k, const double* s) {
    const double a = k.a;
    // a²ψ'(a) - a tends to 1/2 as a grows.
    const double curvature = a > 1e4 ? 0.5 + 1 / (6 * a) : a * a * boost::math::trigamma(a, Quiet()) - a;
    return {s[0], a * (s[2] - s[0] * k.d), std::sqrt(a) * s[1], s[0] * curvature, 0, s[0], s[1], s[2]};
  }
};

}  // namespace weir::stats::detail

#pragma GCC diagnostic pop
