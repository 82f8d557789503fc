#include <array>
#include <optional>

#include "monitor/detail/formats.hpp"
#include "monitor/detail/text.hpp"
#include "monitor/formats/device_number.hpp"

namespace weir::monitor::detail {
namespace {

struct Field {
  std::string_view key;
  std::string_view name;
};

constexpr std::array<Field, 6> kFields = {{
    {"rbytes", "read_bytes"},
    {"wbytes", "write_bytes"},
    {"rios", "read_operations"},
    {"wios", "write_operations"},
    {"dbytes", "discard_bytes"},
    {"dios", "discard_operations"},
}};

}  // namespace

// "MAJOR:MINOR KEY=VALUE ..."; keys of other controllers (cost.usage) are left alone. Some kernels print
// devices that have no numbers without ending the line, so the last device number before the keys counts.
void parse_io_stat(std::string_view text, std::string_view /*instance*/, Sink& sink) {
  for (std::string_view line; next_line(text, line);) {
    std::string_view rest = line, device;
    std::array<std::optional<std::uint64_t>, kFields.size()> values;
    bool good = true;
    for (std::string_view word; good && !(word = next_word(rest)).empty();) {
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos) {
        good = is_device_number(word);
        device = word;
        values = {};
        continue;
      }
      for (std::size_t i = 0; i < kFields.size(); ++i) {
        if (word.substr(0, equals) != kFields[i].key) continue;
        values[i] = whole(word.substr(equals + 1));
        good = values[i].has_value();
      }
    }
    if (good && device.empty() && trimmed(line).empty()) continue;
    if (!good || device.empty()) {
      sink.damaged(line);
      continue;
    }
    if (!sink.source("cgroup:", device)) continue;
    for (std::size_t i = 0; i < kFields.size(); ++i)
      if (values[i]) sink.put({kFields[i].name}, number(*values[i]));
  }
}

}  // namespace weir::monitor::detail
