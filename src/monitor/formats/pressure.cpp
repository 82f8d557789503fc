#include "monitor/detail/formats.hpp"
#include "monitor/detail/text.hpp"

namespace weir::monitor::detail {

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=MICROSECONDS" and the same for "full". The averages are left
// alone: differences of the total give the share over any interval exactly.
void parse_pressure(std::string_view text, std::string_view instance, Sink& sink) {
  if (!sink.source("psi:", instance)) return;
  for (std::string_view line; next_line(text, line);) {
    std::string_view rest = line;
    const std::string_view who = next_word(rest);
    if (who.empty()) continue;
    constexpr std::string_view kTotal = "total=";
    std::string_view word;
    do word = next_word(rest);
    while (!word.empty() && !word.starts_with(kTotal));
    const auto total = word.empty() ? std::nullopt : whole(word.substr(kTotal.size()));
    if ((who != "some" && who != "full") || !total)
      sink.damaged(line);
    else
      sink.put({who, "_seconds"}, number(*total) / 1e6);
  }
}

}  // namespace weir::monitor::detail
