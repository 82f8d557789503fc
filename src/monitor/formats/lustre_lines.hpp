#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "monitor/detail/sink.hpp"

namespace weir::monitor::detail {

// "NAME COUNT samples [UNIT] MIN MAX SUM [SUMSQ]"; the line may stop after the unit.
struct LustreLine {
  std::string_view name;
  std::uint64_t count = 0;
  std::string_view unit;  // without the brackets
  std::optional<std::uint64_t> sum;
};

// NAME_operations, and NAME_seconds where the unit is microseconds.
void put_lustre_call(const LustreLine& line, Sink& sink);
// `stem`_operations and `stem`_bytes.
void put_lustre_bytes(const LustreLine& line, std::string_view stem, Sink& sink);
// `stem`_seconds, where the unit is microseconds, and no operations: the number of these calls is known from
// their bytes.
void put_lustre_time(const LustreLine& line, std::string_view stem, Sink& sink);

// Calls put(line) for every line of statistics of a source. Repeated names are added up by the functions
// above. The time of the snapshot is a counter of its own (snapshot_seconds): the difference of two is the
// time that the other differences belong to.
using LustrePut = void (*)(const LustreLine& line, Sink& sink);
void parse_lustre(std::string_view text, Sink& sink, LustrePut put);

}  // namespace weir::monitor::detail
