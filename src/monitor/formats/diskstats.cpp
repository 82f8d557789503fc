#include "monitor/detail/formats.hpp"
#include "monitor/detail/text.hpp"
#include "monitor/formats/disk_fields.hpp"

namespace weir::monitor::detail {

// MAJOR MINOR NAME and the numbers. Partitions have lines like those of whole disks: who adds sources up must
// leave them out.
void parse_diskstats(std::string_view text, std::string_view /*instance*/, Sink& sink) {
  for (std::string_view line; next_line(text, line);) {
    std::string_view rest = line;
    const std::string_view major = next_word(rest);
    const std::string_view minor = next_word(rest);
    const std::string_view disk = next_word(rest);
    if (major.empty()) continue;
    const auto fields = read_disk_fields(rest);
    if (!whole(major) || !whole(minor) || !fields) {
      sink.damaged(line);
      continue;
    }
    if (sink.source("disk:", disk)) put_disk_fields(*fields, sink);
  }
}

}  // namespace weir::monitor::detail
