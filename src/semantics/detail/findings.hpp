#pragma once

#include <map>

#include "semantics/conflicts.hpp"
#include "semantics/detail/judge.hpp"

namespace weir::semantics::detail {

// Adds up what is found in a file.
class Findings {
 public:
  Findings(std::size_t models, std::size_t members, const ConflictOptions& options)
      : options_(&options), lately_(members) {
    out_.conflicts.resize(models);
  }

  // A pair of which the second is the later by time.
  void pair(const Access& one, const Access& other, const Judgement& judgement) {
    ++out_.overlaps;
    const bool turned = judgement.order == Judgement::Order::second;
    const Access& first = turned ? other : one;
    const Access& second = turned ? one : other;
    const bool race = judgement.order == Judgement::Order::unordered;
    if (one.member != other.member) {
      std::pair<std::uint32_t, std::uint32_t> members(first.member, second.member);
      if (race && members.first > members.second) std::swap(members.first, members.second);
      Lately& lately = lately_.slot(members.first, members.second);
      if (lately.pair == nullptr || members != lately.members) {
        lately.members = members;
        lately.pair = &out_.pairs[members];
      }
      ProcessPair& two = *lately.pair;
      ++two.overlaps;
      two.races += race ? 1 : 0;
      two.models |= judgement.conflicts;
    }
    if (race || judgement.conflicts != 0) gap(first, second, judgement.conflicts, race);
    if (race)
      example(PairKind::race, 0, one, other);
    else if (judgement.conflicts != 0)
      example(kind_of(first, second), judgement.conflicts, first, second);
  }

  void count(PairKind kind, std::uint32_t models) {
    for (std::size_t i = 0; i < out_.conflicts.size(); ++i)
      if ((models >> i & 1) != 0) ++field(out_.conflicts[i], kind);
  }
  void count_race() { ++out_.races; }

  static PairKind kind_of(const Access& first, const Access& second) {
    const bool own = first.member == second.member;
    if (second.writes()) return own ? PairKind::waw_s : PairKind::waw_d;
    return own ? PairKind::raw_s : PairKind::raw_d;
  }

  FileFindings take() { return std::move(out_); }

 private:
  static std::uint64_t& field(ConflictCounts& counts, PairKind kind) {
    switch (kind) {
      case PairKind::waw_s:
        return counts.waw_s;
      case PairKind::waw_d:
        return counts.waw_d;
      case PairKind::raw_s:
        return counts.raw_s;
      default:
        return counts.raw_d;
    }
  }

  void gap(const Access& first, const Access& second, std::uint32_t models, bool race) {
    constexpr std::size_t kMostGaps = 1000;
    const GapKey key{first.member, first.syncs, second.member, second.syncs, race};
    Lately& lately = lately_.slot(first.member, second.member);
    if (!lately.has_gap || key != lately.gap_key) {
      auto found = out_.gaps.find(key);
      if (found == out_.gaps.end() && out_.gaps.size() < kMostGaps)
        found = out_.gaps.emplace(key, Gap{0, 0, race, first, second}).first;
      lately.has_gap = true;
      lately.gap_key = key;
      lately.gap = found == out_.gaps.end() ? nullptr : &found->second;
    }
    if (lately.gap == nullptr) return;
    Gap& here = *lately.gap;
    ++here.pairs;
    here.models |= models;
    if (first.start_ns <= here.first.start_ns) return;
    here.first = first;
    here.second = second;
  }

  void example(PairKind kind, std::uint32_t models, const Access& first, const Access& second) {
    const std::pair<PairKind, std::uint32_t> key(kind, models);
    if (last_shown_ == nullptr || key != last_shown_key_) {
      last_shown_key_ = key;
      last_shown_ = &shown_[key];
    }
    std::size_t& seen = *last_shown_;
    if (seen++ >= options_->examples) return;
    out_.examples.push_back({kind, models, first, second});
  }

  const ConflictOptions* options_;
  std::map<std::pair<PairKind, std::uint32_t>, std::size_t> shown_;
  FileFindings out_;
  // What two members had last: the next is mostly the same.
  struct Lately {
    std::pair<std::uint32_t, std::uint32_t> members;
    ProcessPair* pair = nullptr;
    GapKey gap_key;
    Gap* gap = nullptr;  // null: there are too many
    bool has_gap = false;
  };
  Recent<Lately> lately_;
  std::pair<PairKind, std::uint32_t> last_shown_key_;
  std::size_t* last_shown_ = nullptr;
};

}  // namespace weir::semantics::detail
