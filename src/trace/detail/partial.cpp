#include "trace/detail/partial.hpp"

#include <utility>

#include "base/checksum.hpp"

namespace weir::trace::detail {
namespace {

template <class T>
std::uint64_t hash_items(const std::vector<T>& items, std::uint64_t seed) {
  return checksum(std::as_bytes(std::span(items)), seed);
}

}  // namespace

std::uint64_t hash_of(std::string_view text) { return checksum(as_bytes(text)); }

std::uint64_t hash_of(const Communicator& communicator) {
  const std::uint64_t seed = std::uint64_t{communicator.id} << 32 | communicator.flags;
  return hash_items(communicator.remote, hash_items(communicator.members, seed));
}

void set_hash(SignatureClass& one, const Partial& of) {
  std::vector<std::uint64_t> same = one.words;
  for (std::size_t i = 0; i < same.size(); ++i) {
    if (one.kinds[i] == WordKind::text) same[i] = of.texts.hash_of(same[i]);
    if (one.kinds[i] == WordKind::name) same[i] = of.templates.hash_of(same[i]);
    if (one.kinds[i] == WordKind::free && one.ranked) same[i] = 0;
  }
  one.hash = hash_items(same, hash_items(one.begins, one.ranked ? 1 : 0));
}

Partial join(Partial a, Partial b) {
  const auto texts = a.texts.add_all(std::move(b.texts));
  const auto templates = a.templates.add_all(std::move(b.templates));
  const auto grammars = a.grammars.add_all(std::move(b.grammars));
  const auto communicators = a.communicators.add_all(std::move(b.communicators));
  const auto first = static_cast<std::uint32_t>(a.processes.size());

  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash;
  for (std::uint32_t i = 0; i < a.classes.size(); ++i) by_hash.emplace(a.classes[i].hash, i);
  std::vector<std::uint32_t> classes;
  for (SignatureClass& one : b.classes) {
    for (std::size_t i = 0; i < one.words.size(); ++i) {
      if (one.kinds[i] == WordKind::text) one.words[i] = texts[one.words[i]];
      if (one.kinds[i] == WordKind::name) one.words[i] = templates[one.words[i]];
    }
    for (std::uint32_t& member : one.members) member += first;
    std::optional<std::uint32_t> same;
    const auto [begin, end] = by_hash.equal_range(one.hash);
    for (auto at = begin; at != end && !same; ++at)
      if (is_same_class(a.classes[at->second], one)) same = at->second;
    if (same) {
      absorb(a.classes[*same], one);
      classes.push_back(*same);
    } else {
      classes.push_back(static_cast<std::uint32_t>(a.classes.size()));
      a.classes.push_back(std::move(one));
    }
  }

  for (PartialProcess& process : b.processes) {
    process.info.class_number = classes[process.info.class_number];
    for (std::uint32_t& number : process.info.communicators) number = communicators[number];
    for (auto& stream : process.grammars)
      for (std::uint32_t& number : stream) number = grammars[number];
    a.processes.push_back(std::move(process));
  }
  return a;
}

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// The class of one member alone.
SignatureClass member_alone(const SignatureClass& of, std::size_t member, std::uint32_t number) {
  SignatureClass one;
  one.ranked = of.ranked;
  one.hash = of.hash;
  one.begins = of.begins;
  one.words = of.words;
  one.kinds = of.kinds;
  one.members = {number};
  one.ranks = {of.ranks[member]};
  for (const SignatureClass::Line& line : of.lines)
    one.words[line.word] +=
        static_cast<std::uint64_t>(line.slope) * static_cast<std::uint64_t>(of.ranks[member]);
  for (const SignatureClass::Own& own : of.owns) one.words[own.word] = own.values[member];
  return one;
}

// Of some members, in halves: a class is made of log2 of them at most at a time.
SignatureClass members_only(const SignatureClass& of, std::span<const std::size_t> members,
                            const std::vector<std::uint32_t>& numbers) {
  if (members.size() == 1) return member_alone(of, members[0], numbers[of.members[members[0]]]);
  const std::size_t half = members.size() / 2;
  SignatureClass some = members_only(of, members.first(half), numbers);
  absorb(some, members_only(of, members.subspan(half), numbers));
  return some;
}

}  // namespace

Partial keep_only(Partial all, const std::vector<bool>& kept) {
  std::vector<std::uint32_t> numbers(all.processes.size(), kNone);
  std::vector<PartialProcess> processes;
  for (std::size_t i = 0; i < all.processes.size(); ++i) {
    if (!kept[i]) continue;
    numbers[i] = static_cast<std::uint32_t>(processes.size());
    processes.push_back(std::move(all.processes[i]));
  }
  std::vector<SignatureClass> classes;
  for (const SignatureClass& one : all.classes) {
    std::vector<std::size_t> members;
    for (std::size_t k = 0; k < one.members.size(); ++k)
      if (numbers[one.members[k]] != kNone) members.push_back(k);
    if (members.empty()) continue;
    for (const std::size_t k : members)
      processes[numbers[one.members[k]]].info.class_number = static_cast<std::uint32_t>(classes.size());
    classes.push_back(members_only(one, members, numbers));
  }
  all.processes = std::move(processes);
  all.classes = std::move(classes);
  return all;
}

void PairwiseJoin::add(Partial one) {
  for (std::size_t level = 0;; ++level) {
    Partial other;
    {
      const std::lock_guard guard(lock_);
      if (level == waiting_.size()) waiting_.emplace_back();
      if (!waiting_[level]) {
        waiting_[level] = std::move(one);
        return;
      }
      other = *std::exchange(waiting_[level], std::nullopt);
    }
    one = join(std::move(other), std::move(one));
  }
}

Partial PairwiseJoin::finish() {
  Partial all;
  for (std::optional<Partial>& one : waiting_)
    if (one) all = join(std::move(*one), std::move(all));
  waiting_.clear();
  return all;
}

}  // namespace weir::trace::detail
