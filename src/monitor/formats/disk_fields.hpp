#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "monitor/detail/sink.hpp"

namespace weir::monitor::detail {

// The numbers of one block device, as /proc/diskstats and /sys/block/NAME/stat both print them: 11 up to
// Linux 4.17, 15 with discards, 17 with flushes since 5.5. Linux Documentation/admin-guide/iostats.rst.
struct DiskFields {
  std::array<std::uint64_t, 17> values{};
  std::size_t count = 0;
};

// Nothing when one is no number, or their count is none of the above; a later kernel's 18th is left alone.
std::optional<DiskFields> read_disk_fields(std::string_view numbers);
void put_disk_fields(const DiskFields& fields, Sink& sink);

}  // namespace weir::monitor::detail
