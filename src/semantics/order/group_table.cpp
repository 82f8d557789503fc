#include "semantics/order/group_table.hpp"

#include <algorithm>
#include <optional>

namespace weir::semantics {
namespace {

using trace::Value;
using Members = GroupTable::Members;

bool holds(const Members& members, std::uint32_t one) {
  return std::find(members.begin(), members.end(), one) != members.end();
}

// The ranks a list names one by one, or as ranges of first, last and stride. Nothing when they are not of the
// group.
std::optional<std::vector<std::size_t>> named_ranks(std::span<const trace::ListItem> items, bool ranges,
                                                    std::size_t size) {
  std::vector<std::size_t> ranks;
  const auto add = [&](std::int64_t rank) {
    if (rank < 0 || rank >= static_cast<std::int64_t>(size)) return false;
    ranks.push_back(static_cast<std::size_t>(rank));
    return true;
  };
  if (!ranges) {
    for (const trace::ListItem& item : items)
      if (!add(item.number)) return std::nullopt;
    return ranks;
  }
  for (std::size_t i = 0; i + 2 < items.size(); i += 3) {
    const std::int64_t stride = items[i + 2].number;
    if (stride == 0) return std::nullopt;
    for (std::int64_t rank = items[i].number;
         stride > 0 ? rank <= items[i + 1].number : rank >= items[i + 1].number; rank += stride)
      if (!add(rank)) return std::nullopt;
  }
  return ranks;
}

std::optional<Members> chosen(const Members& of, const Value& list, bool ranges, bool excluding) {
  const auto ranks = named_ranks(list.items, ranges, of.size());
  if (!ranks) return std::nullopt;
  Members made;
  if (!excluding) {
    for (const std::size_t rank : *ranks) made.push_back(of[rank]);
    return made;
  }
  for (std::size_t rank = 0; rank < of.size(); ++rank)
    if (std::find(ranks->begin(), ranks->end(), rank) == ranks->end()) made.push_back(of[rank]);
  return made;
}

std::optional<Members> combined(std::string_view how, const Members& one, const Members& other) {
  Members made;
  if (how == "union") {
    made = one;
    for (const std::uint32_t member : other)
      if (!holds(one, member)) made.push_back(member);
    return made;
  }
  if (how != "intersection" && how != "difference") return std::nullopt;
  for (const std::uint32_t member : one)
    if (holds(other, member) == (how == "intersection")) made.push_back(member);
  return made;
}

}  // namespace

void GroupTable::put(const Value& group, const Members* members) {
  if (group.kind != Value::Kind::object) return;
  if (members == nullptr)
    known_.erase(group.number);
  else
    known_[group.number] = *members;
}

const Members* GroupTable::find(const Value& group) const {
  if (group.kind == Value::Kind::text && group.text == "MPI_GROUP_EMPTY") return &empty_;
  if (group.kind != Value::Kind::object) return nullptr;
  const auto found = known_.find(group.number);
  return found == known_.end() ? nullptr : &found->second;
}

void GroupTable::make(std::string_view how, std::span<const Value> arguments) {
  if (arguments.size() < 3) return;
  const Value& group = arguments.back();
  const Members* const first = find(arguments[0]);
  std::optional<Members> made;
  if (first != nullptr) {
    if (how == "incl" || how == "range_incl") {
      made = chosen(*first, arguments[2], how.starts_with("range"), false);
    } else if (how == "excl" || how == "range_excl") {
      made = chosen(*first, arguments[2], how.starts_with("range"), true);
    } else if (const Members* const second = find(arguments[1])) {
      made = combined(how, *first, *second);
    }
  }
  put(group, made ? &*made : nullptr);
}

}  // namespace weir::semantics
