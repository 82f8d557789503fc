#include "stats/detail/em_pass.hpp"

#include "stats/detail/em_kernels.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // a Vec is never passed across a real call here

namespace weir::stats::detail {

namespace {

// Values go through a pass kChunk at a time, one stage for all of them before the next: within a stage
// nothing waits for anything, whereas one value's exp, log and division wait for each other.
constexpr std::size_t kChunk = 64;
// Products of scores are added up kGroup values at a time. Values ascend, so most components have nothing to
// do with most groups: only those with a responsibility above kNothing in the group are looked at.
constexpr std::size_t kGroup = 16;
constexpr std::size_t kGroups = kChunk / kGroup;
constexpr double kNothing = 1e-15;
constexpr double kLogNothing = -40;
static_assert(kBlock % kChunk == 0 && kChunk % kGroup == 0 && kGroup % kLanes == 0);

using Row = double[kChunk];

// One chunk on its way through the stages.
template <bool kInformation>
struct Chunk {
  alignas(32) Row height[kMaxComponents];  // then density up to a factor common to all components
  alignas(32) Row kept[kMaxComponents];
  alignas(32) Row peak;
  alignas(32) Row inverse;  // 1/Σ height
  // Responsibility r, r·sα, r·sβ; and which groups have any.
  alignas(32) Row rows[kInformation ? kMaxComponents : 1][3];
  bool present[kMaxComponents][kGroups];
};

// What a pass is for besides the log-likelihood and EM's sums.
enum class Want { sums, information, responsibilities };

// The sums over values of weight·a·b for a, b among r, r·sα, r·sβ of two components.
struct Products {
  Vec sums[3][3];
};

WEIR_INLINE void add_products(const Row* a, const Row* b, const double* weight, std::size_t begin,
                              std::size_t end, Products& into) {
  Products part = into;
  for (std::size_t i = begin; i < end; i += kLanes) {
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

// Sums of one component over a pass.
template <class Kernel>
struct Totals {
  Vec sums[Kernel::kSums];
  Vec own[6];  // Σ weight·r(1-r)·(1, sα, sβ, sα², sα·sβ, sβ²)
};

template <class Kernel, bool kInformation>
WEIR_INLINE void find_heights(const Constants* constants, int k, const PreparedSample::Block& block,
                              std::size_t begin, std::size_t count, Chunk<kInformation>& chunk) {
  const double* const first = block.first + begin;
  const double* const second = block.second != nullptr ? block.second + begin : first;
  for (int j = 0; j < k; ++j) {
    for (std::size_t i = 0; i < count; i += kLanes) {
      Vec kept;
      store(chunk.height[j] + i, Kernel::height(constants[j], load(first + i), load(second + i), kept));
      if constexpr (Kernel::kKeeps) store(chunk.kept[j] + i, kept);
    }
  }
  if constexpr (!Kernel::kLinear) {
    for (std::size_t i = 0; i < count; i += kLanes) {
      Vec peak = load(chunk.height[0] + i);
      for (int j = 1; j < k; ++j) peak = max(peak, load(chunk.height[j] + i));
      store(chunk.peak + i, peak);
    }
    for (int j = 0; j < k; ++j) {
      for (std::size_t i = 0; i < count; i += kLanes) {
        const Vec below = load(chunk.height[j] + i) - load(chunk.peak + i);
        store(chunk.height[j] + i, any(below > kLogNothing) ? exp_of_negative(below) : splat(0));
      }
    }
  }
}

template <class Kernel, bool kInformation>
WEIR_INLINE void add_log_likelihood(int k, const double* weight, std::size_t count,
                                    Chunk<kInformation>& chunk, Vec& log_likelihood) {
  for (std::size_t i = 0; i < count; i += kLanes) {
    Vec total = load(chunk.height[0] + i);
    for (int j = 1; j < k; ++j) total += load(chunk.height[j] + i);
    if constexpr (Kernel::kLinear) {
      total = max(total, splat(1e-306));
      log_likelihood += load(weight + i) * log(total);
    } else {
      log_likelihood += load(weight + i) * (log(total) + load(chunk.peak + i));
    }
    store(chunk.inverse + i, 1.0 / total);
  }
}

template <class Kernel, Want kWant>
WEIR_INLINE void add_component(const Constants& constants, int j, const PreparedSample::Block& block,
                               std::size_t begin, std::size_t count, Chunk<kWant == Want::information>& chunk,
                               Totals<Kernel>& totals, double* shares) {
  constexpr bool kInformation = kWant == Want::information;
  const double* const first = block.first + begin;
  const double* const second = block.second != nullptr ? block.second + begin : first;
  Totals<Kernel> part = totals;
  if constexpr (kInformation)
    for (bool& present : chunk.present[j]) present = false;
  for (std::size_t i = 0; i < count; i += kLanes) {
    const Vec r = load(chunk.height[j] + i) * load(chunk.inverse + i);
    const bool something = any(r > kNothing);
    if constexpr (kWant == Want::responsibilities)
      store(shares + i, something ? r * load(block.weight + begin + i) : splat(0));
    if (!something) {
      if constexpr (kInformation)
        for (Row& row : chunk.rows[j]) store(row + i, splat(0));
      continue;
    }
    const Vec wr = load(block.weight + begin + i) * r;
    Vec kept = splat(0);
    if constexpr (Kernel::kKeeps) kept = load(chunk.kept[j] + i);
    Point point;
    Kernel::point(constants, load(first + i), load(second + i), kept, point);
    Kernel::add(point, wr, part.sums);
    if constexpr (kInformation) {
      chunk.present[j][i / kGroup] = true;
      Scores s;
      Kernel::scores(constants, point, s);
      const Vec v = wr * (1.0 - r);
      const Vec va = v * s.alpha;
      const Vec vb = v * s.beta;
      part.own[0] += v;
      part.own[1] += va;
      part.own[2] += vb;
      part.own[3] += va * s.alpha;
      part.own[4] += va * s.beta;
      part.own[5] += vb * s.beta;
      store(chunk.rows[j][0] + i, r);
      store(chunk.rows[j][1] + i, r * s.alpha);
      store(chunk.rows[j][2] + i, r * s.beta);
    }
  }
  totals = part;
}

template <class Kernel, Want kWant>
WEIR_INLINE PassResult run(const PreparedSample& sample, Family family, const State& state,
                           MissingInformation* missing, Responsibilities* responsibilities) {
  constexpr bool kInformation = kWant == Want::information;
  const int k = state.components;
  Constants constants[kMaxComponents];
  Totals<Kernel> totals[kMaxComponents];
  // Of components (j, l) with l < j, at j(j-1)/2 + l.
  Products products[kInformation ? kMaxComponents * (kMaxComponents - 1) / 2 : 1];
  for (int j = 0; j < k; ++j) {
    const auto at = static_cast<std::size_t>(j);
    constants[j] = Kernel::constants(state.weight[at], state.centre[at], state.sharpness[at]);
    totals[j] = {};
    if constexpr (kInformation)
      for (int l = 0; l < j; ++l) products[j * (j - 1) / 2 + l] = {};
  }
  Vec log_likelihood = splat(0);
  PreparedSample::Scratch scratch;
  Chunk<kInformation> chunk;
  for (std::size_t index = 0; index < sample.blocks(); ++index) {
    const auto block = sample.block(family, index, scratch);
    for (std::size_t begin = 0; begin < block.padded; begin += kChunk) {
      const std::size_t count = kChunk < block.padded - begin ? kChunk : block.padded - begin;
      find_heights<Kernel>(constants, k, block, begin, count, chunk);
      add_log_likelihood<Kernel>(k, block.weight + begin, count, chunk, log_likelihood);
      for (int j = 0; j < k; ++j) {
        double* shares = nullptr;
        if constexpr (kWant == Want::responsibilities)
          shares = responsibilities->shares.data() + static_cast<std::size_t>(j) * responsibilities->stride +
                   index * kBlock + begin;
        add_component<Kernel, kWant>(constants[j], j, block, begin, count, chunk, totals[j], shares);
      }
      if constexpr (kInformation) {
        for (int j = 1; j < k; ++j)
          for (int l = 0; l < j; ++l)
            for (std::size_t g = 0; g < kGroups; ++g)
              if (chunk.present[j][g] && chunk.present[l][g])
                add_products(chunk.rows[j], chunk.rows[l], block.weight + begin, g * kGroup,
                             count < (g + 1) * kGroup ? count : (g + 1) * kGroup,
                             products[j * (j - 1) / 2 + l]);
      }
    }
  }

  PassResult result;
  result.log_likelihood = sum(log_likelihood);
  for (int j = 0; j < k; ++j) {
    double flat[Kernel::kSums];
    for (int s = 0; s < Kernel::kSums; ++s) flat[s] = sum(totals[j].sums[s]);
    result.components[static_cast<std::size_t>(j)] = Kernel::finish(constants[j], flat);
    if constexpr (kInformation) {
      const std::size_t at = static_cast<std::size_t>(3 * j);
      for (int l = 0; l < j; ++l)
        for (std::size_t p = 0; p < 3; ++p)
          for (std::size_t q = 0; q < 3; ++q)
            (*missing)[at + p][static_cast<std::size_t>(3 * l) + q] =
                -sum(products[j * (j - 1) / 2 + l].sums[p][q]);
      auto* const row = missing->data() + at;
      row[0][at] = sum(totals[j].own[0]);
      row[1][at] = sum(totals[j].own[1]);
      row[2][at] = sum(totals[j].own[2]);
      row[1][at + 1] = sum(totals[j].own[3]);
      row[2][at + 1] = sum(totals[j].own[4]);
      row[2][at + 2] = sum(totals[j].own[5]);
    }
  }
  return result;
}

template <class Kernel>
WEIR_INLINE ComponentSums run_held(const PreparedSample& sample, Family family, const double* shares,
                                   double centre, double sharpness) {
  const Constants constants = Kernel::constants(1, centre, sharpness);
  Vec sums[Kernel::kSums] = {};
  PreparedSample::Scratch scratch;
  for (std::size_t index = 0; index < sample.blocks(); ++index) {
    const auto block = sample.block(family, index, scratch);
    const double* const second = block.second != nullptr ? block.second : block.first;
    for (std::size_t i = 0; i < block.padded; i += kLanes) {
      const Vec wr = load(shares + index * kBlock + i);
      if (!any(wr > 0.0)) continue;
      Vec kept;
      Kernel::height(constants, load(block.first + i), load(second + i), kept);
      Point point;
      Kernel::point(constants, load(block.first + i), load(second + i), kept, point);
      Kernel::add(point, wr, sums);
    }
  }
  double flat[Kernel::kSums];
  for (int s = 0; s < Kernel::kSums; ++s) flat[s] = sum(sums[s]);
  return Kernel::finish(constants, flat);
}

// Calls with the family's kernel as the template argument of the object's call operator.
template <class Use>
WEIR_INLINE auto with_kernel(Family family, const Use& use) {
  switch (family) {
    case Family::gamma:
      return use.template with<GammaKernel>();
    case Family::weibull:
    case Family::frechet:
      return use.template with<SmallestKernel>();
    case Family::loglogistic:
      return use.template with<LogisticKernel>();
    default:
      return use.template with<NormalKernel>();
  }
}

template <Want kWant>
struct Pass {
  const PreparedSample& sample;
  Family family;
  const State& state;
  MissingInformation* missing = nullptr;
  Responsibilities* responsibilities = nullptr;

  template <class Kernel>
  WEIR_INLINE PassResult with() const {
    return run<Kernel, kWant>(sample, family, state, missing, responsibilities);
  }
};

struct HeldPass {
  const PreparedSample& sample;
  Family family;
  const double* shares;
  double centre, sharpness;

  template <class Kernel>
  WEIR_INLINE ComponentSums with() const {
    return run_held<Kernel>(sample, family, shares, centre, sharpness);
  }
};

#if defined(__x86_64__)
template <class Use>
[[gnu::target("avx2")]] auto with_kernel_avx2(Family family, const Use& use) {
  return with_kernel(family, use);
}
bool wide = __builtin_cpu_supports("avx2") != 0;
#endif

template <class Use>
auto dispatch(Family family, const Use& use) {
#if defined(__x86_64__)
  if (wide) return with_kernel_avx2(family, use);
#endif
  return with_kernel(family, use);
}

}  // namespace

void allow_wide_instructions([[maybe_unused]] bool allowed) {
#if defined(__x86_64__)
  wide = allowed && __builtin_cpu_supports("avx2") != 0;
#endif
}

PassResult em_pass(const PreparedSample& sample, Family family, const State& state) {
  return dispatch(family, Pass<Want::sums>{sample, family, state});
}

PassResult em_pass(const PreparedSample& sample, Family family, const State& state,
                   MissingInformation& missing) {
  const PassResult result = dispatch(family, Pass<Want::information>{sample, family, state, &missing});
  const std::size_t rows = 3 * static_cast<std::size_t>(state.components);
  for (std::size_t p = 0; p < rows; ++p)
    for (std::size_t q = 0; q < p; ++q) missing[q][p] = missing[p][q];
  return result;
}

PassResult em_pass(const PreparedSample& sample, Family family, const State& state, Responsibilities& kept) {
  kept.stride = sample.blocks() * kBlock;
  kept.shares.resize(kept.stride * static_cast<std::size_t>(state.components));
  return dispatch(family, Pass<Want::responsibilities>{sample, family, state, nullptr, &kept});
}

ComponentSums held_sums(const PreparedSample& sample, Family family, const Responsibilities& kept,
                        int component, const State& at) {
  const auto j = static_cast<std::size_t>(component);
  return dispatch(
      family, HeldPass{sample, family, kept.shares.data() + j * kept.stride, at.centre[j], at.sharpness[j]});
}

}  // namespace weir::stats::detail
