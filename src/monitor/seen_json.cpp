#include <algorithm>
#include <cmath>

#include "base/json.hpp"
#include "monitor/watch.hpp"

namespace weir::monitor {
namespace {

// Most are counts, written without a fraction. Seconds are differences of large numbers: beyond the
// nanosecond there is nothing but rounding.
Json compact(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (std::abs(value) < kExact / 1e9) value = std::round(value * 1e9) / 1e9;
  if (std::abs(value) < kExact && value == std::floor(value)) return static_cast<std::int64_t>(value);
  return json_number(value);
}

Json column(const Seen& seen, std::size_t index) {
  Json values = Json::array();
  for (const Slice& slice : seen.slices)
    values.push_back(index < slice.changes.size() ? compact(slice.changes[index]) : Json(nullptr));
  return values;
}

bool is_idle(const Seen& seen, std::size_t index) {
  return seen.counters[index].value == 0 && std::ranges::none_of(seen.slices, [&](const Slice& slice) {
           return index < slice.changes.size() && slice.changes[index] != 0;
         });
}

}  // namespace

Json to_json(const Seen& seen) {
  Json counters = Json::object(), slices = Json::object();
  Json& begins = slices["begin_ns"] = Json::array();
  for (const Slice& slice : seen.slices) begins.push_back(slice.begin_ns);
  for (std::size_t i = 0; i < seen.counters.size(); ++i) {
    const Counter& counter = seen.counters[i];
    Json& source = counters[counter.source];
    if (source.is_null()) source = Json::object();
    if (is_idle(seen, i)) continue;
    source[counter.name] = compact(counter.value);
    slices[counter.source][counter.name] = column(seen, i);
  }
  return {{"begin_ns", seen.begin_ns},  {"end_ns", seen.end_ns}, {"missed", seen.missed},
          {"damaged", seen.damaged},    {"absent", seen.absent}, {"counters", std::move(counters)},
          {"slices", std::move(slices)}};
}

}  // namespace weir::monitor
