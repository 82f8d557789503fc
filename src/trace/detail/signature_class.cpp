#include "trace/detail/signature_class.hpp"

#include <algorithm>
#include <optional>

namespace weir::trace::detail {
namespace {

__extension__ using Wide = __int128;

bool fits(Wide value) { return value >= INT64_MIN && value <= INT64_MAX; }

// base + slope * rank; exact, never modulo 2^64, so that there is one at most through two points, whichever
// they are.
struct Straight {
  std::int64_t slope = 0;
  std::int64_t base = 0;

  friend bool operator==(const Straight&, const Straight&) = default;

  bool holds(std::int64_t rank, std::int64_t value) const { return base + Wide{slope} * rank == value; }

  static std::optional<Straight> through(std::int64_t rank_a, std::int64_t a, std::int64_t rank_b,
                                         std::int64_t b) {
    const Wide run = Wide{rank_b} - rank_a;
    const Wide rise = Wide{b} - a;
    if (run == 0 || rise % run != 0) return std::nullopt;
    const Wide slope = rise / run;
    if (!fits(slope) || !fits(a - slope * rank_a)) return std::nullopt;
    return Straight{static_cast<std::int64_t>(slope), static_cast<std::int64_t>(a - slope * rank_a)};
  }
};

// One side of a comparison: some members of a class, and what their values of one word are.
struct Side {
  const SignatureClass& of;
  bool is_point = false;  // all members have one rank
  const SignatureClass::Own* own = nullptr;
  Straight line;  // if it is not own; of a point without slope

  bool lies_on(const Straight& other) const { return other.holds(of.ranks.front(), line.base); }
  void append_values(std::vector<std::uint64_t>& values) const {
    if (own != nullptr) {
      values.insert(values.end(), own->values.begin(), own->values.end());
      return;
    }
    for (const std::int64_t rank : of.ranks)
      values.push_back(static_cast<std::uint64_t>(line.base) +
                       static_cast<std::uint64_t>(line.slope) * static_cast<std::uint64_t>(rank));
  }
};

// The line that holds the values of both, if there is one.
std::optional<Straight> common_line(const Side& a, const Side& b) {
  if (a.own != nullptr || b.own != nullptr) return std::nullopt;
  if (a.line == b.line) return a.line;
  if (a.is_point && b.is_point)
    return Straight::through(a.of.ranks.front(), a.line.base, b.of.ranks.front(), b.line.base);
  if (a.is_point && a.lies_on(b.line)) return b.line;
  if (b.is_point && b.lies_on(a.line)) return a.line;
  return std::nullopt;
}

// Gives the lines and own words of a class in the order of the words.
class Varying {
 public:
  explicit Varying(const SignatureClass& of)
      : of_(of), is_point_(std::all_of(of.ranks.begin(), of.ranks.end(), [&](std::int64_t rank) {
          return rank == of.ranks.front();
        })) {}

  // For ascending words.
  Side at(std::uint32_t word) {
    while (line_ < of_.lines.size() && of_.lines[line_].word < word) ++line_;
    while (own_ < of_.owns.size() && of_.owns[own_].word < word) ++own_;
    Side side{of_, is_point_, nullptr, {0, static_cast<std::int64_t>(of_.words[word])}};
    if (line_ < of_.lines.size() && of_.lines[line_].word == word) side.line.slope = of_.lines[line_].slope;
    if (own_ < of_.owns.size() && of_.owns[own_].word == word) side.own = &of_.owns[own_];
    return side;
  }

 private:
  const SignatureClass& of_;
  const bool is_point_;
  std::size_t line_ = 0;
  std::size_t own_ = 0;
};

}  // namespace

bool is_same_class(const SignatureClass& a, const SignatureClass& b) {
  if (a.hash != b.hash || a.ranked != b.ranked || a.begins != b.begins || a.kinds != b.kinds) return false;
  for (std::size_t i = 0; i < a.words.size(); ++i)
    if ((!a.ranked || a.kinds[i] != WordKind::free) && a.words[i] != b.words[i]) return false;
  return true;
}

void absorb(SignatureClass& a, const SignatureClass& b) {
  std::vector<SignatureClass::Line> lines;
  std::vector<SignatureClass::Own> owns;
  Varying of_a(a);
  Varying of_b(b);
  std::vector<std::uint64_t> bases = a.words;
  for (std::uint32_t word = 0; a.ranked && word < a.words.size(); ++word) {
    if (a.kinds[word] != WordKind::free) continue;
    const Side left = of_a.at(word);
    const Side right = of_b.at(word);
    if (const auto line = common_line(left, right)) {
      bases[word] = static_cast<std::uint64_t>(line->base);
      if (line->slope != 0) lines.push_back({word, line->slope});
      continue;
    }
    SignatureClass::Own own{word, {}};
    own.values.reserve(a.members.size() + b.members.size());
    left.append_values(own.values);
    right.append_values(own.values);
    owns.push_back(std::move(own));
    bases[word] = 0;
  }
  a.words = std::move(bases);
  a.lines = std::move(lines);
  a.owns = std::move(owns);
  a.members.insert(a.members.end(), b.members.begin(), b.members.end());
  a.ranks.insert(a.ranks.end(), b.ranks.begin(), b.ranks.end());
}

}  // namespace weir::trace::detail
