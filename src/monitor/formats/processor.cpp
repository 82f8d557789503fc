#include <array>

#include "monitor/detail/formats.hpp"
#include "monitor/detail/text.hpp"

namespace weir::monitor::detail {
namespace {

// The kernel's USER_HZ: 100 on every architecture Weir builds on, whatever the kernel's own tick.
constexpr double kTicksPerSecond = 100;

}  // namespace

// The line "cpu" alone: user, nice, system, idle, iowait, irq, softirq, steal (since 2.6.11), guest. A
// guest's time is part of user's, so all_seconds ends with steal.
void parse_processor(std::string_view text, std::string_view /*instance*/, Sink& sink) {
  for (std::string_view line; next_line(text, line);) {
    std::string_view rest = line;
    if (next_word(rest) != "cpu") continue;
    std::array<double, 8> seconds{};
    std::size_t count = 0;
    double all = 0;
    bool good = true;
    while (good && count < seconds.size()) {
      const std::string_view word = next_word(rest);
      if (word.empty()) break;
      const auto ticks = whole(word);
      good = ticks.has_value();
      if (!good) break;
      seconds[count] = number(*ticks) / kTicksPerSecond;
      all += seconds[count++];
    }
    if (!good || count < 4) {
      sink.damaged(line);
      continue;
    }
    if (!sink.source("cpu", {})) return;
    sink.put({"user_seconds"}, seconds[0] + seconds[1]);
    sink.put({"system_seconds"}, seconds[2] + seconds[5] + seconds[6]);
    sink.put({"idle_seconds"}, seconds[3]);
    sink.put({"iowait_seconds"}, seconds[4]);
    if (count == seconds.size()) sink.put({"steal_seconds"}, seconds[7]);
    sink.put({"all_seconds"}, all);
  }
}

}  // namespace weir::monitor::detail
