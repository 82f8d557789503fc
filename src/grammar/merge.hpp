#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "grammar/grammar.hpp"
#include "grammar/sequitur.hpp"

namespace weir::grammar {

// A list of grammars in which equal ones are kept once, the others share equal rules, and the list of which
// is which is a grammar itself. Every member comes back exactly as it was.
class MergedGrammars {
 public:
  std::uint64_t size() const { return members_.length(); }
  std::size_t distinct_count() const { return starts_.size(); }
  // The sequence of the members' distinct grammars: read it with a Cursor.
  const Grammar& members() const { return members_; }
  // Which of the distinct grammars member `index` is. In the time of Cursor::seek().
  std::uint32_t distinct_of(std::uint64_t index) const;
  // One of the distinct grammars, numbered by first appearance.
  Grammar distinct(std::uint32_t number) const;
  Grammar member(std::uint64_t index) const { return distinct(distinct_of(index)); }

  std::size_t pool_rules() const { return begins_.size(); }
  std::size_t pool_runs() const { return runs_.size(); }
  std::size_t memory_bytes() const;

  friend bool operator==(const MergedGrammars&, const MergedGrammars&) = default;

  void serialize(ByteWriter& out) const;
  static Result<MergedGrammars> parse(ByteReader& in);

 private:
  friend class Merger;

  std::span<const Run> pool_rule(std::uint32_t rule) const;
  bool is_distinct(std::uint32_t number, const Grammar& grammar) const;
  Result<void> check() const;

  // The rules of all distinct grammars; each refers to lower numbers only.
  std::vector<Run> runs_;
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> starts_;  // the start rules of the distinct grammars
  Grammar members_;                    // over numbers of distinct grammars
};

// Builds MergedGrammars member by member. The bytes depend on the sequence of members only, not on how it was
// cut into lists before: merging in pairs gives what merging at once gives.
class Merger {
 public:
  void add(const Grammar& grammar, std::uint64_t times = 1);
  void add(const MergedGrammars& list);
  // What was added; afterwards this is empty.
  MergedGrammars finish();

 private:
  std::uint32_t intern(const Grammar& grammar);
  std::uint32_t intern_rule(std::span<const Run> body);

  MergedGrammars made_;
  Sequitur members_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> distinct_by_hash_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> rules_by_hash_;
  std::vector<std::uint32_t> taken_by_;  // pool rule -> distinct grammar that last took it
};

MergedGrammars merge(std::span<const Grammar> grammars);
MergedGrammars merge(std::span<const MergedGrammars> lists);

}  // namespace weir::grammar
