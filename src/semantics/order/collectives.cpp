#include "semantics/order/collectives.hpp"

#include <algorithm>
#include <map>

namespace weir::semantics {
namespace {

using Flow = MpiCall::Flow;

constexpr std::uint32_t kNothing = ~std::uint32_t{0};

struct Member {
  std::uint32_t process = 0;
  std::uint32_t chain = 0;  // within the process
  std::uint32_t call = 0;
};

// A communicator or window, over all its members.
struct Shared {
  Sequence sequence;
  std::size_t first = 0;         // number of its first collective among all
  std::uint32_t length = 0;      // of the longest list of a member
  const char* broken = nullptr;  // why nothing more can be matched
};

class Matcher {
 public:
  Matcher(std::span<const ProcessActivity> processes, std::span<const std::uint32_t> chain_base,
          const Contexts& contexts, std::span<const MpiCall> calls, Edges& edges, std::vector<Alone>& alone)
      : processes_(processes),
        chain_base_(chain_base),
        contexts_(&contexts),
        calls_(calls),
        edges_(&edges),
        alone_(&alone) {}

  void run() {
    find_sequences();
    sort_calls();
    for (std::size_t s = 0; s < shared_.size(); ++s)
      for (std::uint32_t i = 0; i < shared_[s].length; ++i) {
        const std::size_t number = shared_[s].first + i;
        match(shared_[s], std::span(members_).subspan(begin_[number], begin_[number + 1] - begin_[number]));
      }
  }

 private:
  const CollectiveCall& call_of(const Member& one) const {
    return processes_[one.process].chains[one.chain].collectives[one.call];
  }
  Source start_of(const Member& one) const {
    return {chain_base_[one.process] + one.chain, call_of(one).point};
  }

  // Numbers every communicator and window, and counts what was called on it.
  void find_sequences() {
    std::map<Sequence, std::uint32_t> numbers;
    shared_of_.resize(processes_.size());
    for (std::size_t p = 0; p < processes_.size(); ++p) {
      const ProcessActivity& process = processes_[p];
      if (process.incomplete) continue;
      std::vector<std::uint32_t> count(process.sequences.size());
      std::vector<std::uint32_t> chain(process.sequences.size(), kNothing);
      shared_of_[p].resize(process.sequences.size());
      for (std::size_t s = 0; s < process.sequences.size(); ++s) {
        const auto [found, fresh] =
            numbers.emplace(process.sequences[s], static_cast<std::uint32_t>(shared_.size()));
        if (fresh) shared_.push_back({process.sequences[s], 0, 0, nullptr});
        shared_of_[p][s] = found->second;
      }
      for (std::uint32_t c = 0; c < process.chains.size(); ++c)
        for (const CollectiveCall& call : process.chains[c].collectives) {
          ++count[call.sequence];
          if (chain[call.sequence] != kNothing && chain[call.sequence] != c)
            shared_[shared_of_[p][call.sequence]].broken =
                "two threads of a process call collectives of one communicator: in which order is not known";
          chain[call.sequence] = c;
        }
      for (std::size_t s = 0; s < count.size(); ++s) {
        Shared& shared = shared_[shared_of_[p][s]];
        shared.length = std::max(shared.length, count[s]);
      }
    }
    for (Shared& one : shared_) {  // what made a window must be known for sure
      if (one.sequence.made_by == Sequence::kOfCommunicator) continue;
      const auto made_on = numbers.find({one.sequence.context, Sequence::kOfCommunicator});
      if (made_on != numbers.end() && shared_[made_on->second].broken != nullptr)
        one.broken = shared_[made_on->second].broken;
    }
    std::size_t first = 0;
    for (Shared& one : shared_) {
      one.first = first;
      first += one.length;
    }
    begin_.assign(first + 1, 0);
  }

  template <class Each>
  void for_each_call(Each&& each) const {
    for (std::uint32_t p = 0; p < processes_.size(); ++p) {
      if (processes_[p].incomplete) continue;
      std::vector<std::uint32_t> count(processes_[p].sequences.size());
      for (std::uint32_t c = 0; c < processes_[p].chains.size(); ++c) {
        const auto& calls = processes_[p].chains[c].collectives;
        for (std::uint32_t i = 0; i < calls.size(); ++i)
          each(shared_[shared_of_[p][calls[i].sequence]].first + count[calls[i].sequence]++, Member{p, c, i});
      }
    }
  }

  void sort_calls() {
    for_each_call([&](std::size_t number, const Member&) { ++begin_[number + 1]; });
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    members_.resize(begin_.back());
    std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
    for_each_call([&](std::size_t number, const Member& one) { members_[at[number]++] = one; });
  }

  void match(Shared& shared, std::span<const Member> members) {
    if (members.empty()) return;
    const MpiCall& about = calls_[call_of(members.front()).function];
    if (shared.broken == nullptr)
      for (const Member& one : members)
        if (calls_[call_of(one).function].operation != about.operation)
          shared.broken = "its communicator's members do not call the same collective here";
    if (shared.broken != nullptr) {
      if (about.flow == Flow::none) return;
      for (const Member& one : members)
        alone_->push_back(
            {chain_base_[one.process] + one.chain, call_of(one).point, call_of(one).function, shared.broken});
      return;
    }
    if (about.flow == Flow::none || members.size() < 2) return;
    const Context& context = (*contexts_)[shared.sequence.context];
    place_members(context, members);
    switch (about.flow) {
      case Flow::all:
      case Flow::fence:
      case Flow::release:
        order_all(context);
        break;
      case Flow::from_root:
        order_from_root(context);
        break;
      case Flow::to_root:
        order_to_root(context);
        break;
      case Flow::upward:
        order_upward(context);
        break;
      case Flow::exchange:
      case Flow::neighbours:
        order_exchange(context);
        break;
      default:
        break;
    }
  }

  // Members by group and rank, those that are there.
  void place_members(const Context& context, std::span<const Member> members) {
    if (of_process_.empty()) of_process_.assign(processes_.size(), nullptr);
    for (const Member& one : members) of_process_[one.process] = &one;
    for (std::size_t g = 0; g < 2; ++g) {
      by_rank_[g].clear();
      for (const std::uint32_t process : context.groups[g])
        by_rank_[g].push_back(process == Context::kAbsent ? nullptr : of_process_[process]);
    }
    for (const Member& one : members) of_process_[one.process] = nullptr;
  }

  void add(const Source& from, const Member& to) {
    const std::uint32_t chain = chain_base_[to.process] + to.chain;
    if (call_of(to).completion != kNever && from.chain != chain)
      edges_->add(from, {chain, call_of(to).completion});
  }

  // Everybody of `takers` after everybody of `givers` that gives something.
  void order_groups(const std::vector<const Member*>& givers, const std::vector<const Member*>& takers) {
    sources_.clear();
    for (const Member* const one : givers)
      if (one != nullptr && call_of(*one).gives) sources_.push_back(start_of(*one));
    if (sources_.empty()) return;
    const bool few = sources_.size() <= 2;
    Source node{Source::kNode, 0};
    if (!few) node.point = edges_->add_node(sources_);
    for (const Member* const one : takers) {
      if (one == nullptr || !call_of(*one).takes) continue;
      if (!few) {
        add(node, *one);
        continue;
      }
      for (const Source& from : sources_) add(from, *one);
    }
  }

  void order_all(const Context& context) {
    if (!context.is_inter()) return order_groups(by_rank_[0], by_rank_[0]);
    order_groups(by_rank_[0], by_rank_[1]);
    order_groups(by_rank_[1], by_rank_[0]);
  }

  // The root, and the members it deals with: the other group, or all of its own.
  const Member* find_root(const Context& context, std::size_t& others) const {
    others = 0;
    for (std::size_t g = 0; g < 2; ++g)
      for (const Member* const one : by_rank_[g]) {
        if (one == nullptr) continue;
        const std::uint32_t root = call_of(*one).root;
        if (!context.is_inter()) return root < by_rank_[0].size() ? by_rank_[0][root] : nullptr;
        if (root != CollectiveCall::kIsRoot) continue;
        others = 1 - g;
        return one;
      }
    return nullptr;
  }

  void order_from_root(const Context& context) {
    std::size_t others = 0;
    const Member* const root = find_root(context, others);
    if (root == nullptr || !call_of(*root).gives) return;
    for (const Member* const one : by_rank_[others])
      if (one != nullptr && one != root && call_of(*one).takes) add(start_of(*root), *one);
  }

  void order_to_root(const Context& context) {
    std::size_t others = 0;
    const Member* const root = find_root(context, others);
    if (root == nullptr || !call_of(*root).takes) return;
    for (const Member* const one : by_rank_[others])
      if (one != nullptr && one != root && call_of(*one).gives) add(start_of(*one), *root);
  }

  // Each node stands for all ranks up to one.
  void order_upward(const Context& context) {
    if (context.is_inter()) return;
    Source lower{Source::kNode, kNothing};
    bool any = false;
    for (const Member* const one : by_rank_[0]) {
      if (one == nullptr) continue;
      if (any && call_of(*one).takes) add(lower, *one);
      if (!call_of(*one).gives) continue;
      if (any) {
        const Source both[] = {lower, start_of(*one)};
        lower = {Source::kNode, edges_->add_node(both)};
      } else {
        lower = start_of(*one);
      }
      any = true;
    }
  }

  void order_exchange(const Context& context) {
    for (std::size_t g = 0; g < (context.is_inter() ? 2U : 1U); ++g) {
      const auto& partners = by_rank_[context.is_inter() ? 1 - g : 0];
      std::vector<const Member*> takers;
      for (const Member* const one : by_rank_[g]) {
        if (one == nullptr || !call_of(*one).takes) continue;
        if (call_of(*one).list == CollectiveCall::kAllMembers) {
          takers.push_back(one);
          continue;
        }
        for (const std::uint32_t rank : processes_[one->process].lists[call_of(*one).list])
          if (rank < partners.size() && partners[rank] != nullptr) add(start_of(*partners[rank]), *one);
      }
      if (!takers.empty()) order_groups(partners, takers);
    }
  }

  std::span<const ProcessActivity> processes_;
  std::span<const std::uint32_t> chain_base_;
  const Contexts* contexts_;
  std::span<const MpiCall> calls_;
  Edges* edges_;
  std::vector<Alone>* alone_;
  std::vector<Shared> shared_;
  std::vector<std::vector<std::uint32_t>> shared_of_;  // by process and its own number
  std::vector<std::uint32_t> begin_;                   // per collective: its first member
  std::vector<Member> members_;
  std::vector<const Member*> of_process_;
  std::vector<const Member*> by_rank_[2];
  std::vector<Source> sources_;
};

}  // namespace

void match_collectives(std::span<const ProcessActivity> processes, std::span<const std::uint32_t> chain_base,
                       const Contexts& contexts, std::span<const MpiCall> calls, Edges& edges,
                       std::vector<Alone>& alone) {
  Matcher(processes, chain_base, contexts, calls, edges, alone).run();
}

}  // namespace weir::semantics
