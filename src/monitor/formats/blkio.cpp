#include "monitor/detail/formats.hpp"
#include "monitor/detail/text.hpp"
#include "monitor/formats/device_number.hpp"

namespace weir::monitor::detail {
namespace {

// "MAJOR:MINOR Read|Write|Sync|Async|Discard|Total NUMBER" and a last line "Total NUMBER".
void parse_blkio(std::string_view text, std::string_view ending, Sink& sink) {
  for (std::string_view line; next_line(text, line);) {
    std::string_view rest = line;
    const std::string_view device = next_word(rest);
    if (device.empty() || device == "Total") continue;
    const std::string_view kind = next_word(rest);
    const auto value = whole(next_word(rest));
    if (!is_device_number(device) || !value || !next_word(rest).empty()) {
      sink.damaged(line);
      continue;
    }
    if (!sink.source("cgroup:", device)) continue;
    if (kind == "Read") sink.put({"read", ending}, number(*value));
    if (kind == "Write") sink.put({"write", ending}, number(*value));
    if (kind == "Discard") sink.put({"discard", ending}, number(*value));
  }
}

}  // namespace

void parse_blkio_bytes(std::string_view text, std::string_view /*instance*/, Sink& sink) {
  parse_blkio(text, "_bytes", sink);
}

void parse_blkio_operations(std::string_view text, std::string_view /*instance*/, Sink& sink) {
  parse_blkio(text, "_operations", sink);
}

}  // namespace weir::monitor::detail
