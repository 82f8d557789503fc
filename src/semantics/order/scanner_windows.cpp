// What Scanner makes of groups, of epochs on windows and of topologies.
#include "semantics/order/scanner.hpp"

namespace weir::semantics {
namespace {

using trace::Value;

const Value& at(std::span<const Value> values, std::int8_t argument) {
  return values[static_cast<std::size_t>(argument)];
}

bool is_whole(const std::vector<std::uint32_t>& members) {
  for (const std::uint32_t one : members)
    if (one == Context::kAbsent) return false;
  return true;
}

// Who is one step back and one ahead in each dimension, as MPI_Cart_shift says: the order in which
// collectives among neighbours take them. The last dimension goes fastest.
std::vector<std::uint32_t> grid_neighbours(std::uint32_t rank, std::span<const trace::ListItem> dims,
                                           std::span<const trace::ListItem> periods) {
  std::vector<std::uint32_t> neighbours;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    std::int64_t stride = 1;
    for (std::size_t k = d + 1; k < dims.size(); ++k) stride *= dims[k].number;
    const std::int64_t size = dims[d].number;
    const std::int64_t here = rank / stride % size;
    for (const std::int64_t step : {-1, 1}) {
      std::int64_t there = here + step;
      const bool around = there < 0 || there >= size;
      if (around && periods[d].number == 0) {
        neighbours.push_back(CollectiveCall::kNotTaking);
        continue;
      }
      there = (there + size) % size;
      neighbours.push_back(static_cast<std::uint32_t>(rank + (there - here) * stride));
    }
  }
  return neighbours;
}

}  // namespace

void Scanner::learn_topology(const MpiCall& call, Values values) {
  const std::uint32_t place = place_of(at(values, call.new_comm));
  if (place == Place::kNone) return;
  const Place& own = activity_->places[place];
  if (call.topology == MpiCall::Topology::adjacent) {
    // Who moved to another rank has the neighbours of that one, which another process told.
    const Value& reorder = at(values, call.reorder);
    if (reorder.kind != Value::Kind::number || reorder.number != 0) return;
    std::vector<std::uint32_t> sources;
    for (const trace::ListItem& item : at(values, call.sources).items)
      sources.push_back(static_cast<std::uint32_t>(item.number));
    neighbours_[place] = std::move(sources);
    return;
  }
  const auto dims = at(values, call.dims).items;
  const auto periods = at(values, call.periods).items;
  std::int64_t size = 1;
  for (const trace::ListItem& item : dims) {
    if (item.number < 1 || item.number > INT32_MAX / size) return;
    size *= item.number;
  }
  if (dims.size() == periods.size() && size == static_cast<std::int64_t>(contexts_->peers(own).size()))
    neighbours_[place] = grid_neighbours(own.rank, dims, periods);
}

void Scanner::make_group(const MpiCall& call, Values values) {
  const std::string_view name = record_->function->name;
  if (name.starts_with("MPI_Group_")) return groups_.make(name.substr(10), values);
  const GroupTable::Members* members = nullptr;
  if (call.window != MpiCall::kNone) {
    if (const Window* const window = find_window(at(values, call.window)))
      members = &contexts_->peers(activity_->places[window->place]);
  } else if (const std::uint32_t place = place_of(at(values, call.comm)); place != Place::kNone) {
    const Context& context = (*contexts_)[activity_->places[place].context];
    const std::uint32_t own = activity_->places[place].group;
    members = &context.groups[name == "MPI_Comm_remote_group" ? 1 - own : own];
  }
  if (members != nullptr && !is_whole(*members)) members = nullptr;  // absent ones cannot be told apart
  groups_.put(at(values, call.group), members);
}

void Scanner::epoch(const MpiCall& call, Values values) {
  Window* const window = find_window(at(values, call.window));
  if (window == nullptr) return;
  if (call.epoch == MpiCall::Epoch::post || call.epoch == MpiCall::Epoch::start)
    return begin_epoch(*window, call, values);
  if (call.flag != MpiCall::kNone && at(values, call.flag).number == 0) return;
  std::uint32_t& open = call.epoch == MpiCall::Epoch::wait ? window->exposure : window->access;
  if (open != kNever && open < chain().epochs.size()) chain().epochs[open].end = point();
  open = kNever;
}

void Scanner::begin_epoch(Window& window, const MpiCall& call, Values values) {
  EpochCall made;
  made.sequence = window.sequence;
  made.begin = point();
  made.exposes = call.epoch == MpiCall::Epoch::post;
  if (const GroupTable::Members* const members = groups_.find(at(values, call.group)))
    made.partners = *members;
  else
    made.unknown = true;
  (made.exposes ? window.exposure : window.access) = static_cast<std::uint32_t>(chain().epochs.size());
  chain().epochs.push_back(std::move(made));
}

void Scanner::fetch(const MpiCall& call, Values values) {
  const Window* const window = find_window(at(values, call.window));
  if (window == nullptr || window->access == kNever || window->access >= chain().epochs.size()) return;
  const Value& target = at(values, call.target);
  if (target.kind == Value::Kind::number)
    chain().epochs[window->access].fetched.push_back(peer_of(window->place, target.number));
}

}  // namespace weir::semantics
