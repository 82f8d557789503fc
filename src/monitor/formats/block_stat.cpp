#include "monitor/detail/formats.hpp"
#include "monitor/detail/text.hpp"
#include "monitor/formats/disk_fields.hpp"

namespace weir::monitor::detail {

void parse_block_stat(std::string_view text, std::string_view instance, Sink& sink) {
  for (std::string_view line; next_line(text, line);) {
    if (trimmed(line).empty()) continue;
    const auto fields = read_disk_fields(line);
    if (!fields)
      sink.damaged(line);
    else if (sink.source("disk:", instance))
      put_disk_fields(*fields, sink);
  }
}

}  // namespace weir::monitor::detail
