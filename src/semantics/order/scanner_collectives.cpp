// What Scanner makes of collectives.
#include "semantics/order/scanner.hpp"

namespace weir::semantics {
namespace {

using trace::Value;
using Flow = MpiCall::Flow;

// MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED of Open MPI and of MPICH; neither means another assertion to the
// other.
constexpr std::int64_t kNothingBefore = 2 | 8192;
constexpr std::int64_t kNothingBehind = 16 | 16384;

const Value& at(std::span<const Value> values, std::int8_t argument) {
  return values[static_cast<std::size_t>(argument)];
}

}  // namespace

void Scanner::collective(const MpiCall& call, Values values) {
  if (call.joins_worlds && call.new_comm != MpiCall::kNone) {
    const Value& made = at(values, call.new_comm);
    if (made.kind == Value::Kind::object) place_by_id_[made.number] = Place::kNone;
  }
  if (call.window != MpiCall::kNone && !call.makes_window) return on_window(call, values);
  if (call.comm == MpiCall::kNone) return;
  const std::uint32_t place = place_of(at(values, call.comm));
  if (place == Place::kNone) {
    if (call.flow != Flow::none) remark("its communicator is of no known members");
    return;
  }
  const std::uint32_t context = activity_->places[place].context;
  const std::uint32_t sequence = sequence_of({context, Sequence::kOfCommunicator});
  const std::uint32_t generation = counted_[sequence]++;
  if (call.makes_window && at(values, call.window).kind == Value::Kind::object) {
    Window& window = windows_[at(values, call.window).number];
    const std::uint32_t made = window.made + 1;
    window = {};
    window.made = made;
    window.chain = chain_index();
    window.place = place;
    window.sequence = sequence_of({context, generation});
    window.waits_to_free = call.info != MpiCall::kNone && at(values, call.info).kind == Value::Kind::null;
  }
  // Who leaves with no communicator, as those of colour MPI_UNDEFINED do, has to wait for nobody.
  const bool splits = call.flow == Flow::all && call.new_comm != MpiCall::kNone;
  const bool leaves_empty = splits && at(values, call.new_comm).kind != Value::Kind::object;
  add_collective(call, values, sequence, activity_->places[place], !leaves_empty);
  chain().collectives.back().list = list_of(call, values, place);
  if (call.topology != MpiCall::Topology::none) learn_topology(call, values);
}

Scanner::Window* Scanner::find_window(const Value& value) {
  const auto found = windows_.find(value.number);
  if (value.kind != Value::Kind::object || found == windows_.end()) return nullptr;
  // A number that was given twice means to another thread nobody knows which.
  return found->second.made > 1 && found->second.chain != chain_index() ? nullptr : &found->second;
}

void Scanner::on_window(const MpiCall& call, Values values) {
  Window* const found = find_window(at(values, call.window));
  if (found == nullptr) return;
  Window& window = *found;
  bool orders = false;
  if (call.flow == Flow::release) orders = window.waits_to_free;
  if (call.flow == Flow::fence) {
    const Value& assertion = at(values, call.assertion);
    const bool known = assertion.kind == Value::Kind::number;
    orders = window.fenced && known && (assertion.number & kNothingBefore) == 0;
    window.fenced = known && (assertion.number & kNothingBehind) == 0;
  }
  ++counted_[window.sequence];
  add_collective(call, values, window.sequence, {}, orders);
}

void Scanner::add_collective(const MpiCall& call, Values values, std::uint32_t sequence, const Place& place,
                             bool orders) {
  CollectiveCall made;
  made.sequence = sequence;
  made.function = function_;
  made.point = point();
  made.completion = call.starts ? kNever : made.point;
  take_root(call, values, made);
  made.gives = is_counted(call.gives, call.gives_count, values, place);
  made.takes = orders && is_counted(call.takes, call.takes_count, values, place);
  chain().collectives.push_back(made);
  if (call.starts && call.request != MpiCall::kNone)
    open(at(values, call.request), OpenRequest::Kind::collective,
         static_cast<std::uint32_t>(chain().collectives.size() - 1));
}

void Scanner::take_root(const MpiCall& call, Values values, CollectiveCall& made) const {
  if (call.root == MpiCall::kNone) return;
  const Value& root = at(values, call.root);
  if (root.kind == Value::Kind::number)
    made.root = static_cast<std::uint32_t>(root.number);
  else
    made.root = root.text == "MPI_ROOT" ? CollectiveCall::kIsRoot : CollectiveCall::kNotTaking;
}

bool Scanner::is_counted(MpiCall::Counts counts, std::int8_t argument, Values values,
                         const Place& place) const {
  if (counts == MpiCall::Counts::always || argument == MpiCall::kNone) return true;
  const Value& value = at(values, argument);
  const auto is_some = [](const trace::ListItem& item) {
    return item.kind == trace::ListItem::Kind::number && item.number > 0;
  };
  switch (counts) {
    case MpiCall::Counts::one:
      return value.kind == Value::Kind::number && value.number > 0;
    case MpiCall::Counts::own_item:
      return place.rank < value.items.size() && is_some(value.items[place.rank]);
    default:
      for (const trace::ListItem& item : value.items)
        if (is_some(item)) return true;
      return false;
  }
}

// The ranks that something is taken from, where that is not all of them.
std::uint32_t Scanner::list_of(const MpiCall& call, Values values, std::uint32_t place) {
  if (call.flow != Flow::exchange && call.flow != Flow::neighbours) return CollectiveCall::kAllMembers;
  const auto [found, fresh] = list_by_signature_.emplace(record_->signature, CollectiveCall::kAllMembers);
  if (!fresh) return found->second;
  const std::span<const trace::ListItem> counts = at(values, call.takes_count).items;
  const auto nothing_at = [&](std::size_t i) {
    return call.takes == MpiCall::Counts::any_item && (i >= counts.size() || counts[i].number <= 0);
  };
  std::vector<std::uint32_t> ranks;
  if (call.flow == Flow::exchange) {
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (!nothing_at(i)) ranks.push_back(static_cast<std::uint32_t>(i));
    if (ranks.size() == contexts_->peers(activity_->places[place]).size()) return CollectiveCall::kAllMembers;
  } else if (const auto known = neighbours_.find(place); known != neighbours_.end()) {
    for (std::size_t i = 0; i < known->second.size(); ++i)
      if (known->second[i] != CollectiveCall::kNotTaking && !nothing_at(i)) ranks.push_back(known->second[i]);
  }
  found->second = static_cast<std::uint32_t>(activity_->lists.size());
  activity_->lists.push_back(std::move(ranks));
  return found->second;
}

}  // namespace weir::semantics
