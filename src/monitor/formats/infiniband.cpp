#include <array>

#include "monitor/detail/formats.hpp"
#include "monitor/detail/text.hpp"

namespace weir::monitor::detail {
namespace {

struct Field {
  std::string_view file;
  std::string_view name;
  double factor;
  std::uint64_t full;  // where the counter of old adapters stops
};

constexpr std::uint64_t k32Bits = 0xffff'ffffU;
constexpr std::uint64_t k16Bits = 0xffffU;
constexpr std::uint64_t k8Bits = 0xffU;

// Data is counted in words of four bytes (Linux Documentation/ABI/stable/sysfs-class-infiniband). The
// counters of the InfiniBand standard have 32 bits or fewer and stay at their greatest value instead of
// starting again; a counter that stands there no longer counts, so it is reported as damaged instead of as a
// traffic of 0.
constexpr std::array<Field, 12> kFields = {{
    {"port_xmit_data", "sent_bytes", 4, k32Bits},
    {"port_rcv_data", "received_bytes", 4, k32Bits},
    {"port_xmit_packets", "sent_packets", 1, k32Bits},
    {"port_rcv_packets", "received_packets", 1, k32Bits},
    {"port_xmit_data_64", "sent_bytes", 4, ~std::uint64_t{0}},
    {"port_rcv_data_64", "received_bytes", 4, ~std::uint64_t{0}},
    {"port_xmit_packets_64", "sent_packets", 1, ~std::uint64_t{0}},
    {"port_rcv_packets_64", "received_packets", 1, ~std::uint64_t{0}},
    {"port_xmit_wait", "send_wait_ticks", 1, k32Bits},
    {"port_xmit_discards", "send_discards", 1, k16Bits},
    {"port_rcv_errors", "receive_errors", 1, k16Bits},
    {"link_downed", "link_failures", 1, k8Bits},
}};

}  // namespace

void parse_infiniband(std::string_view text, std::string_view instance, Sink& sink) {
  if (!sink.source("ib:", instance)) return;
  for (std::string_view line; next_line(text, line);) {
    std::string_view rest = line;
    const std::string_view file = next_word(rest);
    if (file == "rate") {  // "40 Gb/sec (4X QDR)"
      const auto rate = real(next_word(rest));
      if (rate && next_word(rest) == "Gb/sec")
        sink.put({"rate_bytes_per_second"}, *rate * 1e9 / 8, {.total = false});
      else
        sink.damaged(line);
    }
    for (const Field& field : kFields) {
      if (file != field.file) continue;
      const std::string_view word = next_word(rest);
      if (word == "N/A") break;  // "N/A (no PMA)": this adapter does not count
      const auto value = whole(word);
      if (value && *value != field.full && next_word(rest).empty())
        sink.put({field.name}, number(*value) * field.factor);
      else
        sink.damaged(line);
      break;
    }
  }
}

}  // namespace weir::monitor::detail
