// Feeds arbitrary text to the parsers of storage counters. The first byte chooses which: its low four bits
// are the format, 15 the list of mounts.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/mounts.hpp"
#include "monitor/detail/mount_options.hpp"
#include "monitor/parsers.hpp"

namespace {

void check_mounts(std::string_view text) {
  const auto mounts = weir::parse_mountinfo(text);
  for (const auto& mount : mounts) {
    const auto* found = weir::mount_of(mounts, mount.point);
    if (found == nullptr || found->point.empty()) __builtin_trap();
    weir::monitor::detail::option(mount.options, "upperdir");
  }
}

void check_counters(weir::monitor::Format format, std::string_view text) {
  const auto parsed = weir::monitor::parse(format, text, "x");
  if (parsed.damaged == 0 && !parsed.first_damaged.empty()) __builtin_trap();
  if (parsed.first_damaged.size() > 100) __builtin_trap();
  for (const auto& counter : parsed.counters)
    if (counter.source.empty() || counter.name.empty() || !std::isfinite(counter.value) || counter.value < 0)
      __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t choice = data[0] & 15U;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (choice < weir::monitor::kFormats)
    check_counters(static_cast<weir::monitor::Format>(choice), text);
  else if (size < 4096)  // every mount is looked for among all
    check_mounts(text);
  return 0;
}
