#include "trace/detail/finish.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace weir::trace::detail {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// The process each one came from: the program that ran in it before, else the one that forked it. Processes
// are in the order in which they began.
void link_parents(std::vector<PartialProcess>& processes) {
  std::unordered_map<std::int64_t, std::int64_t> latest;  // by number
  for (std::size_t i = 0; i < processes.size(); ++i) {
    ProcessInfo& info = processes[i].info;
    for (const std::int64_t number : {info.number, info.parent_number})
      if (const auto found = latest.find(number); info.parent < 0 && found != latest.end())
        info.parent = found->second;
    latest[info.number] = static_cast<std::int64_t>(i);
  }
}

// In the order in which they began, but ranks together and in their order: before them what they came from,
// behind them what came from them.
std::vector<std::uint32_t> order_of(const std::vector<PartialProcess>& processes) {
  enum Group { before, ranks, after };
  std::vector<Group> groups;
  for (const PartialProcess& process : processes) {
    const std::int64_t parent = process.info.parent;
    if (process.info.rank >= 0)
      groups.push_back(ranks);
    else
      groups.push_back(parent < 0 || groups[static_cast<std::size_t>(parent)] == before ? before : after);
  }
  std::vector<std::uint32_t> order(processes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (groups[a] != groups[b]) return groups[a] < groups[b];
    return groups[a] == ranks && processes[a].info.rank < processes[b].info.rank;
  });
  return order;
}

// Numbers things by first appearance.
class Renumbering {
 public:
  explicit Renumbering(std::size_t count) : numbers_(count, kNone) {}
  // Whether it is the first time.
  bool number(std::uint64_t old, std::uint32_t& number) {
    const bool fresh = numbers_[old] == kNone;
    if (fresh) numbers_[old] = count_++;
    number = numbers_[old];
    return fresh;
  }

 private:
  std::vector<std::uint32_t> numbers_;
  std::uint32_t count_ = 0;
};

// The signatures of all classes, each once.
class SignatureTable {
 public:
  SignatureTable(const Partial& all, Tables& tables)
      : all_(all),
        tables_(tables),
        calls_(kCallCount),
        texts_(all.texts.size()),
        templates_(all.templates.size()) {}

  Result<std::vector<std::uint32_t>> add(const SignatureClass& one) {
    std::vector<std::uint32_t> numbers;
    auto line = one.lines.begin();
    auto own = one.owns.begin();
    for (std::size_t i = 0; i < one.begins.size(); ++i) {
      const auto words = one.signature(i);
      const std::uint32_t begin = one.begins[i];
      std::vector<Signature::Varying> varying;
      for (std::uint32_t k = 0; k < words.size(); ++k) {
        if (line != one.lines.end() && line->word == begin + k)
          varying.push_back({k, false, (line++)->slope});
        else if (own != one.owns.end() && (own->word == begin + k)) {
          varying.push_back({k, true, 0});
          ++own;
        }
      }
      const auto number = add(words, std::span(one.kinds).subspan(begin, words.size()), varying);
      if (!number) return number.error();
      numbers.push_back(*number);
    }
    return numbers;
  }

 private:
  Result<std::uint32_t> add(std::span<const std::uint64_t> given, std::span<const WordKind> kinds,
                            const std::vector<Signature::Varying>& varying) {
    std::vector<std::uint64_t> words(given.begin(), given.end());
    const std::uint32_t call = Head::function(words[0]);
    std::uint32_t function = 0;
    if (calls_.number(call, function)) tables_.functions.push_back(describe(static_cast<Call>(call)));
    words[0] = (words[0] & ~std::uint64_t{Head::kFunctions - 1}) | function;
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::uint32_t number = 0;
      const std::uint64_t old = words[i];
      if (kinds[i] == WordKind::text) {
        if (texts_.number(old, number)) tables_.texts.push_back(all_.texts[old]);
        words[i] = number;
      } else if (kinds[i] == WordKind::name) {
        if (templates_.number(old, number)) {
          tables_.templates.push_back(all_.templates[old]);
          const auto count = count_numbers(tables_.templates.back());
          if (!count) return count.error();
          tables_.numbers_in.push_back(static_cast<std::uint32_t>(*count));
        }
        words[i] = number;
      }
    }
    std::string key(reinterpret_cast<const char*>(words.data()), words.size() * sizeof words[0]);
    for (const Signature::Varying& one : varying) {
      const std::uint64_t parts[] = {one.word, one.own ? 1U : 0U, static_cast<std::uint64_t>(one.slope)};
      key.append(reinterpret_cast<const char*>(parts), sizeof parts);
    }
    const auto [found, fresh] =
        numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(tables_.signatures.size()));
    if (!fresh) return found->second;
    auto parsed = parse_signature(words, tables_.functions, tables_.numbers_in, tables_.texts.size());
    if (!parsed) return parsed.error();
    parsed->varying = varying;
    tables_.signatures.push_back(std::move(*parsed));
    return found->second;
  }

  const Partial& all_;
  Tables& tables_;
  Renumbering calls_;
  Renumbering texts_;
  Renumbering templates_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

// Equal neighbours go in together: a grammar is looked at once for a row of ranks.
class GrammarList {
 public:
  explicit GrammarList(const Pool<grammar::Grammar>& pool) : pool_(pool) {}
  void add(std::uint32_t number) {
    if (number != number_) flush();
    number_ = number;
    ++times_;
  }
  grammar::MergedGrammars finish() {
    flush();
    return merger_.finish();
  }

 private:
  void flush() {
    if (times_ > 0) merger_.add(pool_[number_], times_);
    times_ = 0;
  }

  const Pool<grammar::Grammar>& pool_;
  grammar::Merger merger_;
  std::uint32_t number_ = 0;
  std::uint64_t times_ = 0;
};

}  // namespace

Result<Finished> finish(Partial all) {
  Finished made;
  std::vector<std::uint32_t> began(all.processes.size());  // as they began: where they stand in the partial
  std::iota(began.begin(), began.end(), 0U);
  std::sort(began.begin(), began.end(), [&](std::uint32_t a, std::uint32_t b) {
    const PartialProcess& one = all.processes[a];
    const PartialProcess& other = all.processes[b];
    return std::pair(one.start_tick, one.info.number) < std::pair(other.start_tick, other.info.number);
  });
  std::vector<PartialProcess> processes;
  for (const std::uint32_t i : began) processes.push_back(std::move(all.processes[i]));
  link_parents(processes);
  const std::vector<std::uint32_t> order = order_of(processes);
  std::vector<std::int64_t> place(processes.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::int64_t>(i);
  std::vector<std::uint32_t> place_of_member(processes.size());
  for (std::size_t i = 0; i < began.size(); ++i)
    place_of_member[began[i]] = static_cast<std::uint32_t>(place[i]);

  SignatureTable signatures(all, made.tables);
  GrammarList grammars(all.grammars);
  Renumbering classes(all.classes.size());
  Renumbering communicators(all.communicators.size());
  std::uint64_t first_grammar = 0;
  for (const std::uint32_t i : order) {
    PartialProcess& process = processes[i];
    ProcessInfo& info = process.info;
    if (info.parent >= 0) info.parent = place[static_cast<std::size_t>(info.parent)];
    const std::uint32_t old = info.class_number;
    if (classes.number(old, info.class_number)) {
      auto numbers = signatures.add(all.classes[old]);
      if (!numbers) return numbers.error();
      made.classes.push_back(std::move(*numbers));
    }
    for (std::uint32_t& number : info.communicators) {
      const std::uint32_t known = number;
      if (communicators.number(known, number)) made.communicators.push_back(all.communicators[known]);
    }
    for (std::size_t s = 0; s < info.streams.size(); ++s) {
      info.streams[s].first_grammar = first_grammar;
      first_grammar += process.grammars[s].size();
      for (const std::uint32_t number : process.grammars[s]) grammars.add(number);
    }
    made.warnings.insert(made.warnings.end(), process.warnings.begin(), process.warnings.end());
    made.processes.push_back(std::move(info));
  }
  made.grammars = grammars.finish();
  for (const SignatureClass& one : all.classes)
    for (const SignatureClass::Own& own : one.owns)
      for (std::size_t i = 0; i < one.members.size(); ++i)
        made.processes[place_of_member[one.members[i]]].own_words.push_back(own.values[i]);
  return made;
}

}  // namespace weir::trace::detail
