#include "semantics/detail/judge.hpp"

#include <algorithm>
#include <map>

#include "base/check.hpp"

namespace weir::semantics::detail {

using consistency::Model;

namespace {

constexpr std::size_t kMostModels = 32;

bool contains(consistency::Operations all, consistency::Operations some) {
  return (all.bits() & some.bits()) == some.bits();
}

// What suffices under the weak one suffices under the strong one.
bool is_weaker(const Model& weak, const Model& strong) {
  if (weak.publish.empty()) return true;
  const bool publishes = strong.publishes_writes() || contains(strong.publish, weak.publish);
  const bool sees = strong.sees_at_once() || (!weak.sees_at_once() && contains(strong.see, weak.see));
  return publishes && sees;
}

}  // namespace

Judge::Judge(const File& file, std::span<const Model> models, const Precedence& precedence)
    : file_(&file),
      models_(models),
      precedence_(&precedence),
      visible_(file.members.size()),
      known_(file.members.size()),
      known_records_(file.members.size()) {
  WEIR_CHECK(models.size() <= kMostModels, "too many models");
  all_ = models.size() == kMostModels ? ~std::uint32_t{0} : (std::uint32_t{1} << models.size()) - 1;
  for (std::size_t i = 0; i < models.size(); ++i)
    if (models[i].publishes_writes() && models[i].sees_at_once() && models[i].own_order)
      appends_ |= std::uint32_t{1} << i;
  for (std::size_t i = 0; i < models.size(); ++i)
    if (models[i].publish.empty() || (!models[i].publishes_writes() && !models[i].sees_at_once()))
      told_by_syncs_ |= std::uint32_t{1} << i;
  find_implied();
  find_chains();
}

void Judge::find_implied() {
  implied_.assign(models_.size(), 0);
  for (std::size_t weak = 0; weak < models_.size(); ++weak)
    for (std::size_t strong = 0; strong < models_.size(); ++strong)
      if (is_weaker(models_[weak], models_[strong])) implied_[weak] |= std::uint32_t{1} << strong;
  for (std::size_t i = 0; i < models_.size(); ++i) weak_first_.push_back(i);
  std::stable_sort(weak_first_.begin(), weak_first_.end(), [&](std::size_t a, std::size_t b) {
    return __builtin_popcount(implied_[a]) > __builtin_popcount(implied_[b]);
  });
}

void Judge::find_chains() {
  chains_.resize(models_.size() * file_->members.size());
  flushes_.resize(file_->members.size());
  first_start_.resize(file_->members.size());
  last_end_.resize(file_->members.size());
  for (std::size_t member = 0; member < file_->members.size(); ++member) {
    const auto& syncs = file_->members[member].syncs;
    const auto next_with = [&](std::uint32_t operations) {
      std::vector<std::uint32_t> next(syncs.size() + 1, kNoSync);
      for (std::size_t i = syncs.size(); i-- > 0;)
        next[i] = (syncs[i].operations & operations) != 0 ? static_cast<std::uint32_t>(i) : next[i + 1];
      return next;
    };
    first_start_[member].assign(syncs.size() + 1, INT64_MAX);
    last_end_[member].assign(syncs.size() + 1, INT64_MIN);
    for (std::size_t i = syncs.size(); i-- > 0;)
      first_start_[member][i] = std::min(syncs[i].start_ns, first_start_[member][i + 1]);
    for (std::size_t i = 0; i < syncs.size(); ++i)
      last_end_[member][i + 1] = std::max(syncs[i].end_ns, last_end_[member][i]);
    for (std::uint32_t i = 0; i < syncs.size(); ++i)
      if ((syncs[i].operations & SyncPoint::kFlushes) != 0) flushes_[member].push_back({syncs[i].buffer, i});
    std::sort(flushes_[member].begin(), flushes_[member].end());
    for (std::size_t model = 0; model < models_.size(); ++model) {
      Chains& chains = chains_[model * file_->members.size() + member];
      chains.next_publish = next_with(models_[model].publish.bits());
      chains.last_see.assign(syncs.size() + 1, kNoSync);
      for (std::size_t i = 0; i < syncs.size(); ++i)
        chains.last_see[i + 1] = (syncs[i].operations & models_[model].see.bits()) != 0
                                     ? static_cast<std::uint32_t>(i)
                                     : chains.last_see[i];
      find_threads(file_->members[member], models_[model], chains);
    }
  }
}

void Judge::find_threads(const Member& member, const Model& model, Chains& chains) const {
  std::map<std::uint32_t, std::size_t> numbers;
  for (const SyncPoint& sync : member.syncs) numbers.emplace(sync.thread, numbers.size());
  if (numbers.size() < 2) return;
  chains.publishes.resize(numbers.size());
  chains.sees.resize(numbers.size());
  for (std::uint32_t i = 0; i < member.syncs.size(); ++i) {
    const std::size_t thread = numbers[member.syncs[i].thread];
    if ((member.syncs[i].operations & model.publish.bits()) != 0) chains.publishes[thread].push_back(i);
    if ((member.syncs[i].operations & model.see.bits()) != 0) chains.sees[thread].push_back(i);
  }
}

Moment Judge::moment(const Access& access) const {
  return {file_->event(access), access.start_ns, access.end_ns};
}

Moment Judge::moment(std::uint32_t member, std::uint32_t sync) const {
  const SyncPoint& point = file_->members[member].syncs[sync];
  return {file_->event(member, point), point.start_ns, point.end_ns};
}

bool Judge::sync_before(std::uint32_t first_member, std::uint32_t first, std::uint32_t second_member,
                        std::uint32_t second) {
  const std::uint64_t one = std::uint64_t{first_member} << 32 | first;
  const std::uint64_t other = std::uint64_t{second_member} << 32 | second;
  Known& known = known_.slot(one, other);
  if (known.first != one || known.second != other)
    known = {one, other, precedence_->before(moment(first_member, first), moment(second_member, second))};
  return known.before;
}

bool Judge::sync_before(std::uint32_t first_member, std::uint32_t first, const Access& second) {
  const std::uint64_t one = std::uint64_t{first_member} << 32 | first;
  const std::uint64_t thread = std::uint64_t{second.member} << 32 | second.thread;
  KnownRecords& known = known_records_.slot(one, thread);
  if (known.first != one || known.thread != thread) {
    known = {};
    known.first = one;
    known.thread = thread;
  }
  if (known.any_before && second.record >= known.before_from) return true;
  if (known.any_not && second.record <= known.not_before_to) return false;
  const bool before = precedence_->before(moment(first_member, first), moment(second));
  if (before) {
    known.before_from = second.record;
    known.any_before = true;
  } else {
    known.not_before_to = second.record;
    known.any_not = true;
  }
  return before;
}

std::uint32_t Judge::effect(const Access& access) const {
  if (!access.delayed()) return kNoSync;
  const auto& flushes = flushes_[access.member];
  const auto& syncs = file_->members[access.member].syncs;
  auto found = std::lower_bound(flushes.begin(), flushes.end(), Flush{access.buffer, access.syncs});
  for (; found != flushes.end() && found->buffer == access.buffer; ++found)
    if (began_after(syncs[found->sync], {access.thread, access.end_ns})) return found->sync;
  return kNoSync;
}

bool Judge::beside_syncs(const Access& write, const Access& later) const {
  return first_start_[write.member][write.syncs] >= write.end_ns &&
         last_end_[later.member][later.syncs] <= later.start_ns;
}

// Of what is held back, `from` is where it was done.
bool Judge::publishes(const Access& write, std::uint32_t from, std::uint32_t sync) const {
  const auto& syncs = file_->members[write.member].syncs;
  if (!write.delayed()) return began_after(syncs[sync], {write.thread, write.end_ns});
  return sync == from || began_after(syncs[sync], {syncs[from].thread, syncs[from].end_ns});
}

std::uint32_t Judge::next_publish(const Chains& chains, const Access& write, std::uint32_t from) const {
  std::uint32_t next = chains.next_publish[from];
  while (next != kNoSync && !publishes(write, from, next)) next = chains.next_publish[next + 1];
  return next;
}

std::uint32_t Judge::last_see(const Chains& chains, const Access& later) const {
  const auto& syncs = file_->members[later.member].syncs;
  std::uint32_t last = chains.last_see[later.syncs];
  while (last != kNoSync && !ended_before(syncs[last], later)) last = chains.last_see[last];
  return last;
}

void Judge::find_published(const Access& write, std::size_t model) {
  published_.clear();
  const Model& about = models_[model];
  const std::uint32_t from = write.delayed() ? effect(write) : write.syncs;
  if (from == kNoSync) return;
  if (about.publishes_writes()) return published_.push_back(write.delayed() ? from : kNoSync);
  const Chains& chains = chains_[model * file_->members.size() + write.member];
  const std::uint32_t first = next_publish(chains, write, from);
  if (first == kNoSync) return;
  published_.push_back(first);
  for (const auto& thread : chains.publishes) {
    auto found = std::lower_bound(thread.begin(), thread.end(), from);
    while (found != thread.end() && !publishes(write, from, *found)) ++found;
    if (found != thread.end()) published_.push_back(*found);
  }
}

void Judge::find_seen(const Access& later, std::size_t model) {
  seen_.clear();
  if (models_[model].sees_at_once()) return seen_.push_back(kNoSync);
  const Chains& chains = chains_[model * file_->members.size() + later.member];
  const std::uint32_t last = last_see(chains, later);
  if (last == kNoSync) return;
  seen_.push_back(last);
  const auto& syncs = file_->members[later.member].syncs;
  for (const auto& thread : chains.sees) {
    auto behind = std::lower_bound(thread.begin(), thread.end(), later.syncs);
    while (behind != thread.begin() && !ended_before(syncs[*std::prev(behind)], later)) --behind;
    if (behind != thread.begin()) seen_.push_back(*std::prev(behind));
  }
}

bool Judge::visible(const Access& write, const Access& later, std::size_t model) {
  if (models_[model].publish.empty()) return false;
  find_published(write, model);
  find_seen(later, model);
  for (const std::uint32_t published : published_)
    for (const std::uint32_t seen : seen_) {
      const bool before =
          published == kNoSync
              ? precedence_->before(moment(write),
                                    seen == kNoSync ? moment(later) : moment(later.member, seen))
          : seen == kNoSync ? sync_before(write.member, published, later)
                            : sync_before(write.member, published, later.member, seen);
      if (before) return true;
    }
  return false;
}

std::uint32_t Judge::own_conflicts(const Access& write, const Access& later) const {
  std::uint32_t conflicts = 0;
  const std::size_t members = file_->members.size();
  const auto& syncs = file_->members[write.member].syncs;
  for (std::size_t model = 0; model < models_.size(); ++model) {
    const Model& about = models_[model];
    if (about.own_order && about.publishes_writes() && about.sees_at_once()) continue;
    const Chains& chains = chains_[model * members + write.member];
    const std::uint32_t from = write.delayed() ? effect(write) : write.syncs;
    const std::uint32_t published = from == kNoSync ? kNoSync : next_publish(chains, write, from);
    bool fine = published < later.syncs && ended_before(syncs[published], later);
    if (fine && !about.sees_at_once()) {
      const std::uint32_t seen = last_see(chains, later);
      fine =
          seen == published || (seen != kNoSync && seen > published &&
                                began_after(syncs[seen], {syncs[published].thread, syncs[published].end_ns}));
    }
    if (!fine) conflicts |= std::uint32_t{1} << model;
  }
  return conflicts;
}

bool Judge::ended_before(const Access& one, const Access& other) const {
  const std::uint32_t at = effect(one);
  if (one.delayed() && at == kNoSync) return false;  // it never came to be complete
  return precedence_->before(at == kNoSync ? moment(one) : moment(one.member, at), moment(other));
}

bool Judge::outlasts(const Access& earlier, const Access& later) const {
  if (file_->cut_by_several && later.truncates() && !earlier.truncates()) return true;
  if (earlier.member != later.member) return false;
  if (earlier.thread != later.thread) return true;
  if (!earlier.delayed()) return false;
  const std::uint32_t done = effect(earlier);
  return later.delayed() ? done > effect(later) : done >= later.syncs;
}

Judgement Judge::judge_write(const Access& write, const Access& later) {
  using Order = Judgement::Order;
  const std::uint64_t first = std::uint64_t{write.member} << 32 | write.syncs;
  const std::uint64_t second = std::uint64_t{later.member} << 32 | later.syncs;
  Visible& lately = visible_.slot(first, second);
  const bool alike = !write.delayed() && beside_syncs(write, later);  // as all between the same sync points
  if (alike && lately.first == first && lately.second == second && lately.first_thread == write.thread &&
      lately.second_thread == later.thread && later.record >= lately.from_record)
    return {Order::first, lately.conflicts};
  std::uint32_t fine = 0;
  std::uint32_t by_sync = 0;  // fine since a sync point of the writer comes before the later one
  for (const std::size_t model : weak_first_) {
    if ((fine >> model & 1) != 0 || !visible(write, later, model)) continue;
    fine |= implied_[model];
    if (!models_[model].publishes_writes()) by_sync |= implied_[model];
  }
  const std::uint32_t conflicts = all_ & ~fine;
  if (fine != 0) {
    if (by_sync == fine && (conflicts & ~told_by_syncs_) == 0 && alike)
      lately = {first, second, write.thread, later.thread, later.record, conflicts};
    return {Order::first, conflicts};
  }
  if (ended_before(write, later)) return {Order::first, all_};
  return {};
}

// One comes behind the other whatever their order, if appending is one step; else one may overwrite the
// other.
Judgement Judge::judge_appends(const Access& one, const Access& other) const {
  const bool is_write = one.writes() && !other.writes();
  return {Judgement::Order::first, is_write ? all_ & ~appends_ : 0};
}

Judgement Judge::judge(const Access& one, const Access& other) {
  using Order = Judgement::Order;
  if (one.member == other.member)  // locks between threads are not seen: their times count
    return {Order::first, one.writes() ? own_conflicts(one, other) : 0};
  // The bytes are gone in any order; how long the file is then is a matter of its name.
  if (one.truncates() && other.truncates()) return {Order::first, 0};
  if (one.writes()) {
    const Judgement told = judge_write(one, other);
    if (told.order == Order::first) return told;
  } else if (ended_before(one, other)) {
    return {Order::first, 0};
  }
  if (!ended_before(other, one)) {
    if (one.at_end() && other.at_end()) return judge_appends(one, other);
    return {Order::unordered, 0};
  }
  return {Order::second, other.writes() ? judge(other, one).conflicts : 0};
}

}  // namespace weir::semantics::detail
