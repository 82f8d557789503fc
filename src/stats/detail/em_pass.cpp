#include "stats/detail/em_pass.hpp"

#include <cmath>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include "stats/detail/gamma.hpp"
#include "stats/detail/special.hpp"
#include "stats/detail/vector.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // a Vec is never passed across a real call here

namespace weir::stats::detail {

namespace {

constexpr double kHalfLogTwoPi = 0.91893853320467274178;

// A kernel gives, for one component and four values: the log density plus log weight (or the weighted density
// itself where kLinear), two quantities p and q to build scores from, and the sums it needs of them.
struct Constants {
  double offset = 0;  // everything in the log density that does not depend on the value
  double a = 0, b = 0, c = 0, d = 0;
};

struct Point {
  Vec height, p, q;
};

struct Scores {
  Vec alpha, beta;
};

struct NormalKernel {
  static constexpr bool kLinear = false;
  static constexpr int kSums = 3;
  static Constants constants(double weight, double centre, double sharpness) {
    return {std::log(weight * sharpness) - kHalfLogTwoPi, sharpness, sharpness * centre};
  }
  WEIR_INLINE static void point(const Constants& k, const Vec& u, const Vec&, Point& out) {
    const Vec z = u * k.a - k.b;
    out.height = k.offset - 0.5 * z * z;
    out.p = z;
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
  static constexpr int kSums = 5;
  static Constants constants(double weight, double centre, double sharpness) {
    return {std::log(weight * sharpness), sharpness, sharpness * centre};
  }
  WEIR_INLINE static void point(const Constants& k, const Vec& u, const Vec&, Point& out) {
    const Vec z = u * k.a - k.b;
    out.p = z;
    out.q = exp(z);
    out.height = k.offset + z - out.q;
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
  static constexpr int kSums = 6;
  static Constants constants(double weight, double centre, double sharpness) {
    return {weight * sharpness, sharpness, sharpness * centre};
  }
  WEIR_INLINE static void point(const Constants& k, const Vec& u, const Vec&, Point& out) {
    const Vec z = u * k.a - k.b;
    const Vec v = exp(-abs(z));
    const Vec inverse = 1.0 / (1.0 + v);
    const Vec away = (1.0 - v) * inverse;
    out.p = z;
    out.q = z < 0.0 ? -away : away;
    out.height = k.offset * (v * inverse * inverse);
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
  static constexpr int kSums = 3;
  static Constants constants(double weight, double centre, double sharpness) {
    const double gap = (centre - 1) / centre;  // 1 - 1/m
    const double level = gap < 0.9 ? boost::math::log1pmx(-gap, Quiet()) : std::log1p(-gap) + gap;
    // E[q] = ψ(a) - log a; past 10^4 the difference of the two is lost to rounding.
    const double mean_q = sharpness > 1e4 ? -(0.5 + 1 / (12 * sharpness)) / sharpness
                                          : boost::math::digamma(sharpness, Quiet()) - std::log(sharpness);
    return {std::log(weight) + gamma::log_peak(sharpness), sharpness, gap, level, mean_q};
  }
  WEIR_INLINE static void point(const Constants& k, const Vec& d, const Vec& w, Point& out) {
    out.p = d - k.b * d - k.b;  // (1+d)/m - 1
    out.q = w + k.b * d + k.c;
    out.height = k.offset + k.a * out.q;
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

// Values are taken kGroup at a time to add up products of scores. They ascend, so most components have
// nothing to do with most groups: only those with a responsibility above kNothing in the group are looked at.
constexpr std::size_t kGroup = 16;
constexpr double kNothing = 1e-15;
constexpr double kLogNothing = -40;

// The sums over one group of weight·a·b for a, b among r, r·sα, r·sβ of two components.
struct Products {
  Vec sums[3][3];
};

WEIR_INLINE void add_products(const double (*a)[kGroup], const double (*b)[kGroup], const double* weight,
                              Products& into) {
  Products part = into;
  for (std::size_t i = 0; i < kGroup; i += kLanes) {
    const Vec w = load(weight + i);
    const Vec b0 = load(b[0] + i);
    const Vec b1 = load(b[1] + i);
    const Vec b2 = load(b[2] + i);
    for (int p = 0; p < 3; ++p) {
      const Vec left = w * load(a[p] + i);
      part.sums[p][0] += left * b0;
      part.sums[p][1] += left * b1;
      part.sums[p][2] += left * b2;
    }
  }
  into = part;
}

// What a pass is for: EM's sums, these and the missing information, or sums at one state under the
// responsibilities of another.
enum class Want { sums, information, held };

template <class Kernel, Want kWant>
WEIR_INLINE PassResult run(const PreparedSample& sample, Family family, const State& state,
                           const State& at_state, MissingInformation* missing) {
  constexpr bool kInformation = kWant == Want::information;
  const int k = state.components;
  Constants constants[kMaxComponents];
  for (int j = 0; j < k; ++j) {
    const auto at = static_cast<std::size_t>(j);
    constants[j] = Kernel::constants(state.weight[at], state.centre[at], state.sharpness[at]);
  }
  Constants held[kMaxComponents];
  if constexpr (kWant == Want::held) {
    for (int j = 0; j < k; ++j) {
      const auto at = static_cast<std::size_t>(j);
      held[j] = Kernel::constants(1, at_state.centre[at], at_state.sharpness[at]);
    }
  }
  Vec sums[kMaxComponents][Kernel::kSums];
  Vec own[kMaxComponents][5];  // Σ r·(sα, sβ, sα², sα·sβ, sβ²)
  constexpr int kPairs = kInformation ? kMaxComponents * (kMaxComponents + 1) / 2 : 1;
  Products products[kPairs];  // of components (j, l) with l <= j, at j(j+1)/2 + l
  for (int j = 0; j < k; ++j) {
    for (Vec& s : sums[j]) s = splat(0);
    for (Vec& s : own[j]) s = splat(0);
    if constexpr (kInformation)
      for (int l = 0; l <= j; ++l) products[j * (j + 1) / 2 + l] = {};
  }
  Vec log_likelihood = splat(0);
  PreparedSample::Scratch scratch;
  alignas(32) double rows[kInformation ? kMaxComponents : 1][3][kGroup];
  alignas(32) double group_weight[kGroup];

  for (std::size_t index = 0; index < sample.blocks(); ++index) {
    const auto block = sample.block(family, index, scratch);
    for (std::size_t group = 0; group < block.padded; group += kGroup) {
      const std::size_t group_end = group + kGroup < block.padded ? group + kGroup : block.padded;
      bool present[kMaxComponents] = {};
      for (std::size_t i = group; i < group_end; i += kLanes) {
        const Vec first = load(block.first + i);
        const Vec second = block.second != nullptr ? load(block.second + i) : first;
        const Vec w = load(block.weight + i);
        Point points[kMaxComponents];
        Vec total = splat(0);
        Vec peak = splat(0);
        for (int j = 0; j < k; ++j) Kernel::point(constants[j], first, second, points[j]);
        if constexpr (Kernel::kLinear) {
          for (int j = 0; j < k; ++j) total += points[j].height;
          total = max(total, splat(1e-306));
        } else {
          peak = points[0].height;
          for (int j = 1; j < k; ++j) peak = max(peak, points[j].height);
          for (int j = 0; j < k; ++j) {
            const Vec below = points[j].height - peak;
            points[j].height = any(below > kLogNothing) ? exp(below) : splat(0);
            total += points[j].height;
          }
        }
        log_likelihood += w * (log(total) + peak);
        const Vec inverse = 1.0 / total;
        if constexpr (kInformation) store(group_weight + (i - group), w);
        for (int j = 0; j < k; ++j) {
          const Vec r = points[j].height * inverse;
          if (!any(r > kNothing)) {
            if constexpr (kInformation)
              for (auto& row : rows[j]) store(row + (i - group), splat(0));
            continue;
          }
          const Vec wr = w * r;
          if constexpr (kWant == Want::held) Kernel::point(held[j], first, second, points[j]);
          Kernel::add(points[j], wr, sums[j]);
          if constexpr (kInformation) {
            present[j] = true;
            Scores s;
            Kernel::scores(constants[j], points[j], s);
            const Vec ra = wr * s.alpha;
            const Vec rb = wr * s.beta;
            own[j][0] += ra;
            own[j][1] += rb;
            own[j][2] += ra * s.alpha;
            own[j][3] += ra * s.beta;
            own[j][4] += rb * s.beta;
            store(rows[j][0] + (i - group), r);
            store(rows[j][1] + (i - group), r * s.alpha);
            store(rows[j][2] + (i - group), r * s.beta);
          }
        }
      }
      if constexpr (kInformation) {
        for (std::size_t i = group_end - group; i < kGroup; ++i) {
          group_weight[i] = 0;
          for (int j = 0; j < k; ++j)
            for (auto& row : rows[j]) row[i] = 0;
        }
        for (int j = 0; j < k; ++j)
          for (int l = 0; l <= j; ++l)
            if (present[j] && present[l])
              add_products(rows[j], rows[l], group_weight, products[j * (j + 1) / 2 + l]);
      }
    }
  }

  PassResult result;
  result.log_likelihood = sum(log_likelihood);
  for (int j = 0; j < k; ++j) {
    double flat[Kernel::kSums];
    for (int s = 0; s < Kernel::kSums; ++s) flat[s] = sum(sums[j][s]);
    result.components[static_cast<std::size_t>(j)] =
        Kernel::finish(kWant == Want::held ? held[j] : constants[j], flat);
    if constexpr (kInformation) {
      const std::size_t at = static_cast<std::size_t>(3 * j);
      for (int l = 0; l <= j; ++l)
        for (std::size_t p = 0; p < 3; ++p)
          for (std::size_t q = 0; q < 3; ++q)
            (*missing)[at + p][static_cast<std::size_t>(3 * l) + q] =
                -sum(products[j * (j + 1) / 2 + l].sums[p][q]);
      auto* const row = missing->data() + at;
      row[0][at] += flat[0];
      row[1][at] += sum(own[j][0]);
      row[2][at] += sum(own[j][1]);
      row[1][at + 1] += sum(own[j][2]);
      row[2][at + 1] += sum(own[j][3]);
      row[2][at + 2] += sum(own[j][4]);
    }
  }
  return result;
}

template <Want kWant>
WEIR_INLINE PassResult choose(const PreparedSample& sample, Family family, const State& state,
                              const State& at, MissingInformation* missing) {
  switch (family) {
    case Family::gamma:
      return run<GammaKernel, kWant>(sample, family, state, at, missing);
    case Family::weibull:
    case Family::frechet:
      return run<SmallestKernel, kWant>(sample, family, state, at, missing);
    case Family::loglogistic:
      return run<LogisticKernel, kWant>(sample, family, state, at, missing);
    default:
      return run<NormalKernel, kWant>(sample, family, state, at, missing);
  }
}

#if defined(__x86_64__)
template <Want kWant>
[[gnu::target("avx2")]] PassResult choose_avx2(const PreparedSample& sample, Family family,
                                               const State& state, const State& at,
                                               MissingInformation* missing) {
  return choose<kWant>(sample, family, state, at, missing);
}
const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
#endif

template <Want kWant>
PassResult dispatch(const PreparedSample& sample, Family family, const State& state, const State& at,
                    MissingInformation* missing) {
#if defined(__x86_64__)
  if (has_avx2) return choose_avx2<kWant>(sample, family, state, at, missing);
#endif
  return choose<kWant>(sample, family, state, at, missing);
}

}  // namespace

PassResult em_pass(const PreparedSample& sample, Family family, const State& state) {
  return dispatch<Want::sums>(sample, family, state, state, nullptr);
}

PassResult em_pass(const PreparedSample& sample, Family family, const State& state,
                   MissingInformation& missing) {
  const PassResult result = dispatch<Want::information>(sample, family, state, state, &missing);
  const std::size_t rows = 3 * static_cast<std::size_t>(state.components);
  for (std::size_t p = 0; p < rows; ++p)
    for (std::size_t q = 0; q < p; ++q) missing[q][p] = missing[p][q];
  return result;
}

PassResult held_pass(const PreparedSample& sample, Family family, const State& responsibilities,
                     const State& at) {
  return dispatch<Want::held>(sample, family, responsibilities, at, nullptr);
}

}  // namespace weir::stats::detail
