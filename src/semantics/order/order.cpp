#include "semantics/order/order.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "semantics/order/clocks.hpp"
#include "semantics/order/collectives.hpp"
#include "semantics/order/contexts.hpp"
#include "semantics/order/epochs.hpp"
#include "semantics/order/graph.hpp"
#include "semantics/order/lineage.hpp"
#include "semantics/order/messages.hpp"
#include "semantics/order/reach.hpp"
#include "semantics/order/reading.hpp"
#include "semantics/order/time_order.hpp"
#include "trace/rank_gaps.hpp"

namespace weir::semantics {

class Order::State {
 public:
  static Result<std::unique_ptr<State>> make(Reading& reading);

  // A thread of a stream, from a record on.
  struct Part {
    std::uint64_t first_record = 0;
    std::uint32_t chain = 0;
  };
  struct Stream {
    std::vector<Part> parts;
    Nesting nesting;
    std::uint64_t records = 0;
  };

  const Stream& stream_of(const Event& event) const { return streams[event.process][event.thread]; }
  bool is_there(const Event& event) const {
    return event.process < streams.size() && event.thread < streams[event.process].size() &&
           event.record < stream_of(event).records;
  }
  // Behind all records of a stream that has some.
  bool is_end(const Event& event) const {
    return event.process < streams.size() && event.thread < streams[event.process].size() &&
           event.record > 0 && event.record == stream_of(event).records;
  }
  std::vector<Part>::const_iterator part_behind(const Event& event) const {
    const auto& parts = stream_of(event).parts;
    return std::upper_bound(
        parts.begin(), parts.end(), event.record,
        [](std::uint64_t record, const Part& part) { return record < part.first_record; });
  }
  std::uint32_t chain_of(const Event& event) const {
    const auto found = part_behind(event);
    return found == stream_of(event).parts.begin() ? kNever : std::prev(found)->chain;
  }
  std::uint64_t start_of(const Event& event) const { return stream_of(event).nesting.start_of(event.record); }
  Event event_of(std::uint32_t chain, std::uint64_t record) const {
    return {chains[chain].process, chains[chain].stream, record};
  }

  struct ChainPlace {
    std::uint32_t process = 0;
    std::uint32_t stream = 0;
  };
  std::vector<std::vector<Stream>> streams;  // by process
  std::vector<ChainPlace> chains;
  std::vector<bool>
      is_ordered;  // by process: it calls MPI, or comes from one that does by a fork that is seen
  std::optional<Graph> graph;
  std::optional<Clocks> clocks;
  TimeOrder times;
  bool proven = false;
  std::uint64_t mpi_calls = 0;
  UnmatchedList unmatched;
  std::vector<std::int64_t> missing_ranks;
  std::vector<std::string> notes;

 private:
  void take_kin(const trace::TraceFile& trace, const std::vector<bool>& begun);
  void take_threads(const trace::TraceFile& trace, std::span<ProcessActivity> activities);
  void tell_unmatched(const trace::TraceFile& trace, std::span<const ProcessActivity> activities,
                      std::span<const std::uint32_t> chain_base, std::vector<Alone> alone);
};

void Order::State::take_threads(const trace::TraceFile& trace, std::span<ProcessActivity> activities) {
  streams.resize(activities.size());
  for (std::uint32_t p = 0; p < activities.size(); ++p) {
    ProcessActivity& activity = activities[p];
    streams[p].resize(activity.streams.size());
    for (std::size_t s = 0; s < activity.streams.size(); ++s)
      streams[p][s].records = trace.processes()[p].streams[s].records;
    for (const Chain& chain : activity.chains) {
      streams[p][chain.stream].parts.push_back(
          {chain.first_record, static_cast<std::uint32_t>(chains.size())});
      chains.push_back({p, chain.stream});
    }
    is_ordered.push_back(activity.mpi_calls > 0);
    mpi_calls += activity.mpi_calls;
    if (!activity.incomplete) continue;
    const std::int64_t rank = trace.processes()[p].rank;
    notes.push_back(fmt::format(
        "process {}{} lost calls, so what it sent and received cannot be counted: nothing orders it", p,
        rank >= 0 ? fmt::format(" (rank {})", rank) : std::string()));
  }
  proven = mpi_calls > 0;
}

// A process that a rank forked is ordered by that and by who waits for it, whatever its times say.
void Order::State::take_kin(const trace::TraceFile& trace, const std::vector<bool>& begun) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t p = 0; p < begun.size(); ++p) {
      if (!begun[p] || is_ordered[p]) continue;
      if (!is_ordered[static_cast<std::size_t>(trace.processes()[p].parent)]) continue;
      is_ordered[p] = changed = true;
    }
  }
}

void Order::State::tell_unmatched(const trace::TraceFile& trace, std::span<const ProcessActivity> activities,
                                  std::span<const std::uint32_t> chain_base, std::vector<Alone> alone) {
  std::vector<const Chain*> all;
  for (const ProcessActivity& activity : activities)
    for (const Chain& chain : activity.chains) all.push_back(&chain);
  std::vector<std::pair<Event, std::pair<std::uint16_t, const char*>>> found;
  for (const Alone& one : alone)
    found.push_back({event_of(one.chain, all[one.chain]->points[one.point]), {one.function, one.why}});
  for (std::size_t p = 0; p < activities.size(); ++p)
    for (const Remark& one : activities[p].remarks)
      found.push_back({event_of(chain_base[p] + one.chain, one.record), {one.function, one.why}});
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  unmatched.count += found.size();
  for (const auto& [event, about] : found) {
    if (unmatched.kept.size() == UnmatchedList::kMostKept) break;
    unmatched.kept.push_back({event, trace.tables().functions[about.first].name, about.second});
  }
}

Result<std::unique_ptr<Order::State>> Order::State::make(Reading& reading) {
  auto state = std::make_unique<State>();
  const trace::TraceFile& trace = reading.trace();
  const Contexts& contexts = reading.contexts();
  auto activities = reading.take();
  if (!activities) return activities.error();
  state->missing_ranks = trace::rank_gaps(trace.processes()).missing;
  state->notes = contexts.notes();
  state->take_threads(trace, *activities);

  std::vector<std::uint32_t> chain_base;
  std::vector<const Chain*> chains;
  for (const ProcessActivity& activity : *activities) {
    chain_base.push_back(static_cast<std::uint32_t>(chains.size()));
    for (const Chain& chain : activity.chains) chains.push_back(&chain);
  }
  Edges edges;
  std::vector<Alone> alone;
  match_messages(*activities, chain_base, reading.threads(), edges, alone);
  match_collectives(*activities, chain_base, contexts, reading.calls(), edges, alone);
  match_epochs(*activities, chain_base, edges);
  state->take_kin(trace,
                  add_lineage(trace.processes(), *activities, chain_base, TimeOrder::serves(trace), edges));
  state->tell_unmatched(trace, *activities, chain_base, std::move(alone));
  for (ProcessActivity& activity : *activities)
    for (Chain& chain : activity.chains) {
      chain.sends = {};
      chain.receives = {};
      chain.collectives = {};
      chain.epochs = {};
    }
  state->graph.emplace(std::move(chains), *activities, std::move(edges));
  state->times = TimeOrder(trace, reading.clocks(), *activities);
  for (std::size_t p = 0; p < activities->size(); ++p)
    for (std::size_t s = 0; s < state->streams[p].size(); ++s)
      state->streams[p][s].nesting = std::move((*activities)[p].streams[s].nesting);
  activities->clear();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dropped;
  state->clocks.emplace(Clocks::of(*state->graph, dropped, {}));
  if (!dropped.empty())
    state->notes.push_back(
        fmt::format("{} calls wait for each other in a circle, as they do when calls are missing from a "
                    "trace; they order nothing",
                    dropped.size()));
  return state;
}

Order::Order(std::unique_ptr<const State> state) : state_(std::move(state)) {}
Order::Order(Order&&) noexcept = default;
Order& Order::operator=(Order&&) noexcept = default;
Order::~Order() = default;

Result<Order> Order::of(const trace::TraceFile& trace, const OrderOptions& options) {
  Reading reading(trace, options.salvage, options.threads);
  return of(reading);
}

Result<Order> Order::of(Reading& reading) {
  auto state = State::make(reading);
  if (!state) return state.error();
  return Order(std::move(*state));
}

bool Order::before(Event first, Event second) const {
  if (!state_->is_there(second)) return false;
  const bool ends = state_->is_end(first);
  if (ends)
    --first.record;  // who comes after all that a thread does comes after its last record
  else if (!state_->is_there(first))
    return false;
  const std::uint32_t from = state_->chain_of(first);
  const std::uint32_t to = state_->chain_of(second);
  if (from == kNever || to == kNever) return false;
  const std::uint64_t start = state_->start_of(second);
  if (from == to) return !ends && first.record < start;
  const Graph& graph = *state_->graph;
  if (Reach(graph, *state_->clocks)
          .knows(to, graph.ins_up_to(to, start), from, graph.first_out_after(from, first.record)))
    return true;
  return !ends && !is_proven(first.process, second.process) && state_->times.before(first, second);
}

std::vector<Event> Order::proof(Event first, Event second) const {
  if (!before(first, second)) return {};
  const std::uint32_t from = state_->chain_of(first);
  const std::uint32_t to = state_->chain_of(second);
  if (from == to) return {first, second};
  const Graph& graph = *state_->graph;
  const auto steps = Reach(graph, *state_->clocks)
                         .path(to, graph.ins_up_to(to, state_->start_of(second)), from,
                               graph.first_out_after(from, first.record));
  if (steps.empty()) return {};
  std::vector<Event> events = {first};
  const auto add = [&](const Event& event) {
    if (events.back() != event) events.push_back(event);
  };
  for (const Reach::Step& step : steps) {
    const Graph::Out& out = graph.outs(step.from_chain)[step.from_out];
    const std::uint64_t left = out.place + out.inside;
    const std::uint64_t arrived = graph.in_place(step.chain, step.in);
    // Where a program was replaced, and where one begins, there is no call of this process.
    if (left <
        state_->streams[state_->chains[step.from_chain].process][state_->chains[step.from_chain].stream]
            .records)
      add(state_->event_of(step.from_chain, left));
    if (arrived > 0 && state_->chain_of(state_->event_of(step.chain, arrived - 1)) == step.chain)
      add(state_->event_of(step.chain, arrived - 1));
  }
  add(second);
  return events;
}

LinePlace Order::place(Event event) const {
  if (!state_->is_there(event)) return {};
  const State::Stream& stream = state_->stream_of(event);
  const auto next = state_->part_behind(event);
  if (next == stream.parts.begin()) return {};
  const std::uint32_t chain = std::prev(next)->chain;
  const Graph& graph = *state_->graph;
  const std::uint32_t ins = graph.ins_up_to(chain, state_->start_of(event));
  LinePlace place = state_->clocks->line().at(graph, chain, ins);
  place.until_record = next == stream.parts.end() ? stream.records : next->first_record;
  if (ins < graph.ins(chain)) place.until_record = std::min(place.until_record, graph.in_place(chain, ins));
  place.until_record = std::min(place.until_record, stream.nesting.next_outer(event.record));
  return place;
}

bool Order::has_times() const { return state_->times.serves(); }
bool Order::is_proven() const { return state_->proven; }
bool Order::is_proven(std::uint32_t process, std::uint32_t other) const {
  return state_->is_ordered[process] && state_->is_ordered[other];
}
const ClockSkew& Order::skew() const { return state_->times.skew(); }
const std::vector<Unmatched>& Order::unmatched() const { return state_->unmatched.kept; }
std::uint64_t Order::unmatched_count() const { return state_->unmatched.count; }
const std::vector<std::int64_t>& Order::missing_ranks() const { return state_->missing_ranks; }
const std::vector<std::string>& Order::notes() const { return state_->notes; }
std::uint64_t Order::mpi_calls() const { return state_->mpi_calls; }
std::uint64_t Order::edges() const { return state_->graph->edges(); }

std::uint64_t Order::bytes() const {
  std::uint64_t sum = state_->graph->bytes() + state_->clocks->bytes() + state_->times.bytes();
  for (const auto& process : state_->streams)
    for (const auto& stream : process)
      sum += stream.nesting.bytes() + sizeof stream + stream.parts.size() * sizeof stream.parts[0];
  return sum;
}

}  // namespace weir::semantics
