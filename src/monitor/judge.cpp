#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "monitor/watch.hpp"

namespace weir::monitor {
namespace {

std::optional<double> counter(const Seen& seen, std::string_view source, std::string_view name) {
  for (const Counter& counter : seen.counters)
    if (counter.source == source && counter.name == name) return counter.value;
  return std::nullopt;
}

struct Moved {
  double read = 0, written = 0, flushes = 0;

  Moved& operator+=(const Moved& other) {
    read += other.read;
    written += other.written;
    flushes += other.flushes;
    return *this;
  }
};

std::optional<Moved> moved(const Seen& seen, std::string_view source) {
  const auto read = counter(seen, source, "read_bytes"), written = counter(seen, source, "write_bytes");
  if (!read || !written) return std::nullopt;
  return Moved{*read, *written, counter(seen, source, "flush_operations").value_or(0)};
}

std::string bytes(double count) {
  return format_bytes(Bytes(static_cast<std::uint64_t>(std::llround(count))));
}

class Judge {
 public:
  Judge(const Seen& seen, Moved own, const Limits& limits) : seen_(seen), own_(own), limits_(limits) {}

  Verdict give() {
    judge_traffic();
    judge_pressure();
    judge_steal();
    return std::move(verdict_);
  }

 private:
  void spoil(std::string reason) {
    verdict_.clean = false;
    verdict_.reasons.push_back(std::move(reason));
  }

  // `all` went through `where`; `ours` of it is accounted for.
  void judge_device(std::string_view where, const Moved& all, const Moved& ours) {
    const double metadata = all.flushes * static_cast<double>(limits_.metadata_per_flush.count);
    const double others =
        std::max(0.0, all.read - ours.read) + std::max(0.0, all.written - ours.written - metadata);
    const double own = own_.read + own_.written;
    if (others < static_cast<double>(limits_.external_least.count) || others <= limits_.external_share * own)
      return;
    if (own == 0)
      spoil(fmt::format("others moved {} through {} while the program moved nothing", bytes(others), where));
    else
      spoil(fmt::format("others moved {:.0f} % as much through {} ({} beside {})", 100 * others / own, where,
                        bytes(others), bytes(own)));
  }

  void judge_traffic() {
    const Storage& storage = seen_.storage;
    if (!storage.elsewhere.empty())
      verdict_.notes.push_back(
          fmt::format("traffic is not judged on {}", fmt::join(storage.elsewhere, "; ")));
    if (storage.devices.empty() && storage.beneath.empty()) {
      if (storage.elsewhere.empty()) judge_each_disk();
      return;
    }
    Moved all;
    std::vector<std::string> judged;
    for (const std::string& device : storage.devices) {
      if (const auto traffic = moved(seen_, device)) {
        all += *traffic;
        judged.push_back(device);
      } else {
        verdict_.notes.push_back(fmt::format("traffic is not judged: {} has no counters", device));
      }
    }
    judge_device(fmt::format("{}", fmt::join(judged, ", ")), all, own_);
    // Below, everything that went through the upper devices is accounted for, journals of theirs included.
    // Each disk is judged by itself: of a mirror every one sees all, of stripes every one a part.
    const Moved passed{std::max(own_.read, all.read), std::max(own_.written, all.written), 0};
    for (const std::string& device : storage.beneath)
      if (const auto traffic = moved(seen_, device)) judge_device(device, *traffic, passed);
  }

  // Disks may lie on one another here, so that sums would count twice.
  void judge_each_disk() {
    bool any = false;
    for (const Counter& candidate : seen_.counters) {
      if (candidate.name != "write_bytes" || !candidate.source.starts_with("disk:")) continue;
      const auto traffic = moved(seen_, candidate.source);
      if (traffic) judge_device(candidate.source, *traffic, own_);
      any = true;
    }
    if (!any) verdict_.notes.emplace_back("traffic is not judged: no disk was watched");
  }

  void judge_pressure() {
    const auto waited = counter(seen_, "psi:cpu", "some_seconds");
    const double time = static_cast<double>(seen_.end_ns - seen_.begin_ns) / 1e9;
    if (!waited || time <= 0) {
      verdict_.notes.emplace_back("processor pressure is not judged: no figures");
      return;
    }
    const double share = std::min(1.0, *waited / time);
    if (share > limits_.cpu_pressure)
      spoil(fmt::format(
          "some task waited for a processor in {:.0f} % of the time ({:.2f} of {:.2f} s; limit {:.0f} %)",
          100 * share, *waited, time, 100 * limits_.cpu_pressure));
  }

  void judge_steal() {
    const auto stolen = counter(seen_, "cpu", "steal_seconds"), all = counter(seen_, "cpu", "all_seconds");
    if (!stolen || !all || *all <= 0) {
      verdict_.notes.emplace_back("stolen processor time is not judged: no figures");
      return;
    }
    const double time = static_cast<double>(seen_.end_ns - seen_.begin_ns) / 1e9;
    const double processors = time > 0 ? std::max(1.0, std::round(*all / time)) : 1.0;
    const double error = processors * limits_.processor_tick;
    if ((*stolen - error) / *all > limits_.steal)
      spoil(fmt::format(
          "the hypervisor took {:.1f} % of the processor time ({:.2f} of {:.2f} s; limit {:.1f} %)",
          100 * *stolen / *all, *stolen, *all, 100 * limits_.steal));
    else if (limits_.steal * *all < error)
      verdict_.notes.push_back(fmt::format(
          "stolen processor time is not judged: {:.2f} s of processor time are too few for a limit "
          "of {:.1f} %, when the kernel counts in ticks of {:.2f} s on each of {:.0f} processors",
          *all, 100 * limits_.steal, limits_.processor_tick, processors));
  }

  const Seen& seen_;
  Moved own_;
  const Limits& limits_;
  Verdict verdict_;
};

}  // namespace

Verdict judge(const Seen& seen, Bytes own_read, Bytes own_written, const Limits& limits) {
  const Moved own{static_cast<double>(own_read.count), static_cast<double>(own_written.count), 0};
  return Judge(seen, own, limits).give();
}

}  // namespace weir::monitor
