#include "monitor/formats/lustre_lines.hpp"

#include "monitor/detail/text.hpp"

namespace weir::monitor::detail {
namespace {

// SECONDS.FRACTION with the fraction's unit beside it. Microseconds are printed without leading zeros
// (1497639750.12141 is 12 ms after the second, not 121), so the fraction is a number, not digits.
std::optional<double> lustre_time(std::string_view word, std::string_view unit) {
  const std::size_t dot = word.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto seconds = whole(word.substr(0, dot));
  const auto fraction = whole(word.substr(dot + 1));
  if (!seconds || !fraction) return std::nullopt;
  if (unit == "secs.usecs" && *fraction < 1'000'000) return number(*seconds) + number(*fraction) / 1e6;
  if (unit == "secs.nsecs" && *fraction < 1'000'000'000) return number(*seconds) + number(*fraction) / 1e9;
  return std::nullopt;
}

std::optional<LustreLine> statistics(std::string_view name, std::string_view rest) {
  LustreLine line{.name = name, .count = 0, .unit = {}, .sum = {}};
  const auto count = whole(next_word(rest));
  const bool samples = next_word(rest) == "samples";
  const std::string_view unit = next_word(rest);
  if (!count || !samples || unit.size() < 3 || unit.front() != '[' || unit.back() != ']') return std::nullopt;
  line.count = *count;
  line.unit = unit.substr(1, unit.size() - 2);
  const std::string_view least = next_word(rest), greatest = next_word(rest), sum = next_word(rest);
  if (least.empty()) return line;
  line.sum = whole(sum);
  if (!whole(least) || !whole(greatest) || !line.sum) return std::nullopt;
  return line;
}

bool is_time(std::string_view name) {
  return name == "snapshot_time" || name == "start_time" || name == "elapsed_time";
}

}  // namespace

void put_lustre_call(const LustreLine& line, Sink& sink) {
  sink.add({line.name, "_operations"}, number(line.count));
  put_lustre_time(line, line.name, sink);
}

void put_lustre_bytes(const LustreLine& line, std::string_view stem, Sink& sink) {
  sink.add({stem, "_operations"}, number(line.count));
  sink.add({stem, "_bytes"}, number(line.sum.value_or(0)));
}

void put_lustre_time(const LustreLine& line, std::string_view stem, Sink& sink) {
  if (line.unit == "usec" || line.unit == "usecs")
    sink.add({stem, "_seconds"}, number(line.sum.value_or(0)) / 1e6);
}

void parse_lustre(std::string_view text, Sink& sink, LustrePut put) {
  for (std::string_view line; next_line(text, line);) {
    std::string_view rest = line;
    const std::string_view name = next_word(rest);
    if (name.empty()) continue;
    if (is_time(name)) {
      const std::string_view time = next_word(rest);
      const auto seconds = lustre_time(time, next_word(rest));
      if (!seconds)
        sink.damaged(line);
      else if (name == "snapshot_time")
        sink.put({"snapshot_seconds"}, *seconds);
    } else if (const auto found = statistics(name, rest)) {
      put(*found, sink);
    } else {
      sink.damaged(line);
    }
  }
}

}  // namespace weir::monitor::detail
