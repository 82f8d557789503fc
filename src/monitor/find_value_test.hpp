#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "monitor/counters.hpp"

namespace weir::monitor::test {

inline std::optional<double> value(const std::vector<Counter>& counters, std::string_view source,
                                   std::string_view name) {
  for (const Counter& counter : counters)
    if (counter.source == source && counter.name == name) return counter.value;
  return std::nullopt;
}

inline std::optional<double> value(const Parsed& parsed, std::string_view source, std::string_view name) {
  return value(parsed.counters, source, name);
}

}  // namespace weir::monitor::test
