#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/grammar.hpp"
#include "trace/communicator.hpp"
#include "trace/detail/piece_file.hpp"
#include "trace/detail/signature_class.hpp"
#include "trace/lane_file.hpp"
#include "trace/process_info.hpp"

namespace weir::trace::detail {

// Things of which equal ones are kept once. T has a hash() of its own or is given one.
template <class T>
class Pool {
 public:
  std::uint32_t add(T one, std::uint64_t hash) {
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto at = first; at != last; ++at)
      if (list_[at->second] == one) return at->second;
    const auto number = static_cast<std::uint32_t>(list_.size());
    by_hash_.emplace(hash, number);
    hashes_.push_back(hash);
    list_.push_back(std::move(one));
    return number;
  }
  // Adds all of another; what the numbers there become here.
  std::vector<std::uint32_t> add_all(Pool&& other) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(other.list_.size());
    for (std::size_t i = 0; i < other.list_.size(); ++i)
      numbers.push_back(add(std::move(other.list_[i]), other.hashes_[i]));
    return numbers;
  }
  std::size_t size() const { return list_.size(); }
  const T& operator[](std::size_t number) const { return list_[number]; }
  const std::vector<T>& list() const { return list_; }
  std::uint64_t hash_of(std::size_t number) const { return hashes_[number]; }

 private:
  std::vector<T> list_;
  std::vector<std::uint64_t> hashes_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

// How far a lane went when it was merged while its process still ran.
struct CoveredLane {
  std::uint64_t state = 0;  // these words of its header
  std::uint64_t lost = 0;
  std::uint64_t unseen = 0;

  friend bool operator==(const CoveredLane&, const CoveredLane&) = default;
};
inline CoveredLane covered_by(const LaneHeader& header) {
  using live::HeaderWord;
  return {header[HeaderWord::state], header[HeaderWord::lost], header[HeaderWord::unseen]};
}

// One process of a merge, as far as it is known without the others.
struct PartialProcess {
  std::uint64_t start_tick = 0;  // with its number it names the process
  ProcessInfo info;              // class and communicators as numbers of the partial; no parent, no own words
  std::vector<std::vector<std::uint32_t>> grammars;  // of the parts of each stream
  std::vector<std::string> warnings;
  // Of one that was merged while it ran: its blocks name these pieces by their place here.
  std::vector<StoredPiece> pieces;
  std::vector<CoveredLane> lanes;
};

// Some processes of a run, merged: what they have in common is there once. Numbers have a meaning within one
// partial only, and their order none: joining all processes of a run gives the same trace in whatever order
// and whatever pairs it is done.
struct Partial {
  Pool<std::string> texts;
  Pool<std::string> templates;
  Pool<grammar::Grammar> grammars;
  Pool<Communicator> communicators;
  std::vector<SignatureClass> classes;
  std::vector<PartialProcess> processes;
};

std::uint64_t hash_of(std::string_view text);
std::uint64_t hash_of(const Communicator& communicator);

// Fills in the hash of a class whose texts and templates are the partial's.
void set_hash(SignatureClass& one, const Partial& of);

// The processes of both. The cost goes with what is distinct and with the number of processes, not of
// records.
Partial join(Partial a, Partial b);

// Those of its processes only, as if the others had never been joined to them.
Partial keep_only(Partial all, const std::vector<bool>& kept);

// Joins partials as they come, two of a size at a time. add() may be called by many threads at once.
class PairwiseJoin {
 public:
  void add(Partial one);
  Partial finish();

 private:
  std::mutex lock_;
  std::vector<std::optional<Partial>> waiting_;  // of 1, 2, 4, ... partials
};

}  // namespace weir::trace::detail
