#include "interference/advice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/json.hpp"

namespace weir::interference {
namespace {

constexpr std::size_t kMostPrograms = 16;
constexpr double kMostLoss = 99.9;  // percent; nothing stops for ever

// How many times longer what loses this share takes.
double slower(double loss_percent) { return 1 / (1 - std::min(loss_percent, kMostLoss) / 100); }

// Programs beside one that each slow it down: what they take for themselves adds up. Two that share evenly
// with it leave it a third.
double of_several(const std::vector<double>& losses) {
  double taken = 0;
  for (const double loss : losses) taken += slower(loss) - 1;
  return 100 * (1 - 1 / (1 + std::max(0.0, taken)));
}

// The best and the worst way to put an even number of programs into pairs, over all ways.
class Pairing {
 public:
  Pairing(std::size_t programs, const std::vector<PairAdvice>& pairs)
      : count_(programs), cost_(programs * programs) {
    for (std::size_t i = 0; i < pairs.size(); ++i)
      cost_[pairs[i].first * count_ + pairs[i].second] = {pairs[i].slowdown, i};
  }

  std::vector<std::size_t> find(bool best) const {
    const std::size_t all = std::size_t{1} << count_;
    std::vector<double> cost(all, std::numeric_limits<double>::infinity());
    std::vector<std::pair<std::size_t, std::size_t>> last(all);  // the set before, and the pair
    cost[0] = 0;
    for (std::size_t set = 0; set < all; ++set) {
      if (std::isinf(cost[set])) continue;
      std::size_t a = 0;
      while (a < count_ && (set >> a & 1U) != 0) ++a;
      for (std::size_t b = a + 1; b < count_; ++b) {
        if ((set >> b & 1U) != 0) continue;
        const auto& [slowdown, pair] = cost_[a * count_ + b];
        const std::size_t with = set | std::size_t{1} << a | std::size_t{1} << b;
        const double sum = cost[set] + (best ? slowdown : -slowdown);
        if (sum < cost[with]) {
          cost[with] = sum;
          last[with] = {set, pair};
        }
      }
    }
    std::vector<std::size_t> found;
    for (std::size_t set = all - 1; set != 0; set = last[set].first) found.push_back(last[set].second);
    return found;
  }

 private:
  std::size_t count_;
  std::vector<std::pair<double, std::size_t>> cost_;
};

double mean_slowdown(const std::vector<PairAdvice>& pairs, const std::vector<std::size_t>& chosen) {
  double sum = 0;
  for (const std::size_t pair : chosen) sum += pairs[pair].slowdown;
  return chosen.empty() ? 1 : sum / static_cast<double>(chosen.size());
}

Json expected_gain(const PairAdvice& pair) {
  const Expected gain = pair.gain_apart();
  return {{"percent", gain.percent}, {"low", gain.low}, {"high", gain.high}};
}

Json expected_json(const Expected& expected) {
  return {{"degradation_percent", expected.percent}, {"low", expected.low}, {"high", expected.high}};
}

}  // namespace

Expected PairAdvice::gain_apart() const {
  const auto gain = [](double slower_by) { return 100 * (1 - 1 / slower_by); };
  return {gain(slowdown), gain(slowdown_low), gain(slowdown_high)};
}

Result<Advice> advise(const Cells& cells, std::vector<Program> programs) {
  if (programs.size() < 2)
    return Error{Errc::usage, "one program alone needs no advice"}.with_remedy("give two --program or more");
  if (programs.size() > kMostPrograms)
    return Error{Errc::too_big, fmt::format("{} programs, more than {}", programs.size(), kMostPrograms)};
  Advice advice;
  advice.programs = std::move(programs);
  const std::size_t n = advice.programs.size();
  std::vector<std::vector<Expected>> losses(n, std::vector<Expected>(n));
  for (std::size_t probe = 0; probe < n; ++probe)
    for (std::size_t signal = 0; signal < n; ++signal) {
      if (probe == signal) continue;
      const auto loss = expected_loss(cells, advice.programs[probe], advice.programs[signal], advice.notes);
      if (!loss) return loss.error();
      losses[probe][signal] = *loss;
    }
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b) {
      PairAdvice pair{.first = a, .second = b, .first_loss = losses[a][b], .second_loss = losses[b][a]};
      pair.slowdown = (slower(pair.first_loss.percent) + slower(pair.second_loss.percent)) / 2;
      pair.slowdown_low = (slower(pair.first_loss.low) + slower(pair.second_loss.low)) / 2;
      pair.slowdown_high = (slower(pair.first_loss.high) + slower(pair.second_loss.high)) / 2;
      advice.pairs.push_back(pair);
    }
  std::ranges::stable_sort(advice.pairs, {}, &PairAdvice::slowdown);
  for (std::size_t probe = 0; probe < n; ++probe) {
    std::vector<double> middle, low, high;
    for (std::size_t signal = 0; signal < n; ++signal) {
      if (signal == probe) continue;
      middle.push_back(losses[probe][signal].percent);
      low.push_back(losses[probe][signal].low);
      high.push_back(losses[probe][signal].high);
    }
    advice.all_at_once.push_back({of_several(middle), of_several(low), of_several(high)});
  }
  if (n % 2 == 0) {
    const Pairing pairing(n, advice.pairs);
    advice.together = pairing.find(true);
    advice.worst = pairing.find(false);
    advice.slowdown_together = mean_slowdown(advice.pairs, advice.together);
    advice.slowdown_worst = mean_slowdown(advice.pairs, advice.worst);
  } else {
    advice.notes.emplace_back(
        "an odd number of programs has no division into pairs; single pairs are listed");
  }
  return advice;
}

Json to_json(const Advice& advice) {
  Json json = {{"programs", Json::array()}, {"pairs", Json::array()}};
  for (std::size_t i = 0; i < advice.programs.size(); ++i) {
    const Program& program = advice.programs[i];
    json["programs"].push_back({{"name", program.name},
                                {"pattern", name(program.found.pattern)},
                                {"chunk_bytes", program.found.chunk.count},
                                {"duty", program.found.duty},
                                {"all_at_once", expected_json(advice.all_at_once[i])}});
  }
  const auto listed = [](const std::vector<std::size_t>& list, std::size_t pair) {
    return std::ranges::find(list, pair) != list.end();
  };
  for (std::size_t i = 0; i < advice.pairs.size(); ++i) {
    const PairAdvice& pair = advice.pairs[i];
    json["pairs"].push_back({{"first", advice.programs[pair.first].name},
                             {"second", advice.programs[pair.second].name},
                             {"first_loss", expected_json(pair.first_loss)},
                             {"second_loss", expected_json(pair.second_loss)},
                             {"slowdown", pair.slowdown},
                             {"slowdown_low", pair.slowdown_low},
                             {"slowdown_high", pair.slowdown_high},
                             {"keep_apart", pair.keep_apart()},
                             {"gain_apart", expected_gain(pair)},
                             {"together", listed(advice.together, i)},
                             {"worst", listed(advice.worst, i)}});
  }
  const bool divided = !advice.together.empty();
  json["slowdown_together"] = divided ? Json(advice.slowdown_together) : Json(nullptr);
  json["slowdown_worst"] = divided ? Json(advice.slowdown_worst) : Json(nullptr);
  json["notes"] = advice.notes;
  return json;
}

}  // namespace weir::interference
