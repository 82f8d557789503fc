#include "base/clock.hpp"

#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir {
namespace {

#if defined(__x86_64__)
// CPUID 8000_0007h EDX bit 8: the counter is invariant. The kernel further checks it across sockets and
// under hypervisors, and drops it as its own clock source when it fails.
bool tsc_is_good() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000007, &a, &b, &c, &d) == 0 || (d & (1u << 8)) == 0) return false;
  // By system calls: this also runs inside programs that are traced, before their first constructor.
  const long fd =
      syscall(SYS_openat, AT_FDCWD, "/sys/devices/system/clocksource/clocksource0/available_clocksource",
              O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[256];
  const long length = syscall(SYS_read, fd, text, sizeof text);
  syscall(SYS_close, fd);
  std::string_view names(text, length > 0 ? static_cast<std::size_t>(length) : 0);
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find_first_of(" \n"));
    if (name == "tsc") return true;
    names.remove_prefix(name.size() < names.size() ? name.size() + 1 : names.size());
  }
  return false;
}
#endif

}  // namespace

#if defined(__x86_64__)
bool Clock::counter_is_good_ = false;
void Clock::choose_source() { counter_is_good_ = tsc_is_good(); }
namespace {
// Earlier than any other constructor of ours: two readings must not come from two clocks.
[[gnu::constructor(101)]] void choose_early() { Clock::choose_source(); }
}  // namespace
const char* Clock::source() { return counter_is_good_ ? "tsc" : "monotonic"; }
#elif defined(__aarch64__)
bool Clock::counter_is_good_ = true;
void Clock::choose_source() {}
const char* Clock::source() { return "cntvct"; }
#else
bool Clock::counter_is_good_ = false;
void Clock::choose_source() {}
const char* Clock::source() { return "monotonic"; }
#endif

Calibration::Reading Calibration::Reading::take() {
  Reading best{};
  std::uint64_t tightest = ~std::uint64_t{0};
  for (int attempt = 0; attempt < 9; ++attempt) {
    const Tick before = Clock::now();
    const Nanoseconds time = Clock::monotonic();
    const Tick after = Clock::now();
    if (after.count - before.count < tightest) {
      tightest = after.count - before.count;
      best = {Tick(before.count + tightest / 2), time};
    }
  }
  return best;
}

}  // namespace weir
