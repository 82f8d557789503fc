#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "interference/classify.hpp"
#include "interference/detail/chunks.hpp"

namespace weir::interference {
namespace {

using trace::SliceCount;
using trace::slices::Operation;

constexpr double kPause = 0.01;  // of the whole, between bursts

// What one process did from beginning to end.
struct Sums {
  SliceCount write, jump, whole, whole_write;
};

Sums sums_of(const trace::ProcessSlices& process) {
  Sums sums;
  for (const trace::ProcessSlice& slice : process.slices) {
    sums.write += slice.of(Operation::write);
    sums.jump += slice.of(Operation::jump);
    sums.whole += slice.of(Operation::whole);
    sums.whole_write += slice.of(Operation::whole_write);
  }
  return sums;
}

std::uint64_t less(std::uint64_t all, std::uint64_t part) { return all > part ? all - part : 0; }

class Classifier {
 public:
  Classifier(const std::vector<trace::ProcessSlices>& processes, const ClassifyOptions& options)
      : processes_(processes), options_(options) {}

  Class find() {
    for (const trace::ProcessSlices& process : processes_) look_at(process);
    if (any_) {
      found_.duration_s = static_cast<double>(last_ns_ - first_ns_) * 1e-9;
      found_.metadata_per_s = static_cast<double>(metadata_) / found_.duration_s;
    }
    name_it();
    find_bursts();
    return std::move(found_);
  }

 private:
  void look_at(const trace::ProcessSlices& process) {
    slice_ns_ = process.slice_ns;
    std::uint64_t written = 0;
    for (const trace::ProcessSlice& slice : process.slices) {
      const SliceCount write = slice.of(Operation::write), sync = slice.of(Operation::sync);
      for (const Operation operation : {Operation::open, Operation::close, Operation::names})
        metadata_ += slice.of(operation).calls;
      found_.read += Bytes(slice.of(Operation::read).bytes);
      written += write.bytes;
      flushed_ += sync.bytes;
      if (write.calls > 0 || sync.bytes > 0) busy_ns_[slice.begin_ns] += write.time_ns + sync.time_ns;
      const std::int64_t begin = std::max(slice.begin_ns, process.started_ns);
      first_ns_ = any_ ? std::min(first_ns_, begin) : begin;
      last_ns_ = std::max(last_ns_, slice.begin_ns + process.slice_ns);
      any_ = true;
    }
    if (written == 0) return;
    ++found_.processes;
    found_.written += Bytes(written);
    take(sums_of(process));
  }

  // The same rules as for a trace, on sums: files that were written in one go and closed are checkpoints if
  // there are many; of what is left, most writes begin elsewhere, or they do not.
  void take(const Sums& sums) {
    const bool many = sums.whole.calls >= detail::kManySessions;
    if (many)
      add(WritePattern::open_write_close, sums.whole.bytes, static_cast<double>(sums.whole.calls));
    else
      add(WritePattern::aggregate_write, sums.whole.bytes, static_cast<double>(sums.whole_write.calls));
    found_.files += sums.whole.calls;
    const std::uint64_t bytes = less(sums.write.bytes, sums.whole.bytes);
    const std::uint64_t writes = less(sums.write.calls, sums.whole_write.calls);
    if (bytes == 0) return;
    ++found_.files;
    if (sums.jump.calls > 0 && 2 * (sums.jump.calls + 1) > writes)
      add(WritePattern::write_seek, bytes,
          std::max(1.0, static_cast<double>(bytes) * static_cast<double>(sums.jump.calls) /
                            static_cast<double>(std::max<std::uint64_t>(1, sums.jump.bytes))));
    else
      add(WritePattern::aggregate_write, bytes, static_cast<double>(writes));
  }

  void add(WritePattern pattern, std::uint64_t bytes, double chunks) {
    if (bytes == 0) return;
    const auto at = static_cast<std::size_t>(pattern);
    const double all = static_cast<double>(bytes);
    chunks_[at].push_back({std::round(all / std::max(1.0, chunks)), all});
    bytes_[at] += all;
    counts_[at] += chunks;
  }

  void name_it() {
    const double all = bytes_[0] + bytes_[1] + bytes_[2];
    if (all == 0) {
      found_.evidence.emplace_back("nothing is written");
      return;
    }
    for (std::size_t i = 0; i < 3; ++i) found_.shares[i] = bytes_[i] / all;
    const auto most = static_cast<std::size_t>(std::ranges::max_element(bytes_) - bytes_.begin());
    found_.pattern =
        found_.shares[most] >= options_.clear ? static_cast<WritePattern>(most) : WritePattern::mixed;
    found_.chunk = detail::size_below(chunks_[most], 0.5);
    found_.chunk_quarter = detail::size_below(chunks_[most], 0.25);
    found_.chunk_three_quarters = detail::size_below(chunks_[most], 0.75);
    found_.flushed_share = std::min(1.0, static_cast<double>(flushed_) / all);
    constexpr std::array kReasons = {"files that were each written in one go and closed, many by a process",
                                     "pieces with seeks between them", "writes that were appended"};
    for (std::size_t i = 0; i < 3; ++i)
      if (bytes_[i] > 0)
        found_.evidence.push_back(fmt::format(
            "{}: {:.0f} % of {} in {:.0f} {}, {} each in the mean", name(static_cast<WritePattern>(i)),
            100 * found_.shares[i], format_bytes(Bytes(static_cast<std::uint64_t>(all))), counts_[i],
            kReasons[i],
            format_bytes(Bytes(static_cast<std::uint64_t>(bytes_[i] / std::max(1.0, counts_[i]))))));
    found_.evidence.push_back(
        fmt::format("{:.0f} % of the bytes are flushed before the next write", 100 * found_.flushed_share));
  }

  // A burst is a run of slices in which something is written. Its first and last slice count by the time
  // that was spent writing in them.
  void find_bursts() {
    if (busy_ns_.empty()) return;
    struct Burst {
      std::int64_t begin = 0, end = 0;
      double active_ns = 0, last_ns = 0;
    };
    const double pause =
        std::max(static_cast<double>(slice_ns_) - 1, kPause * static_cast<double>(last_ns_ - first_ns_));
    const double slice = static_cast<double>(slice_ns_);
    std::vector<Burst> bursts;
    double writing = 0;
    for (const auto& [begin, busy] : busy_ns_) {
      const double own = std::min(slice, static_cast<double>(busy));
      writing += own;
      if (bursts.empty() || static_cast<double>(begin - bursts.back().end) > pause) {
        bursts.push_back({begin, begin + slice_ns_, own, own});
        continue;
      }
      Burst& burst = bursts.back();
      // The slice before is inside now, unless it was the first.
      if (burst.begin + slice_ns_ < burst.end) burst.active_ns += slice - burst.last_ns;
      burst.active_ns += own + static_cast<double>(begin - burst.end);
      burst.last_ns = own;
      burst.end = begin + slice_ns_;
    }
    found_.bursts = bursts.size();
    found_.evidence.push_back(fmt::format(
        "calls that write and flush take {:.0f} % of the time, in slices of {:.3g} s",
        100 * writing / static_cast<double>(std::max<std::int64_t>(1, last_ns_ - first_ns_)), slice * 1e-9));
    if (bursts.size() < detail::kFewestBursts) return;
    std::vector<std::int64_t> starts;
    double active = 0;
    for (std::size_t i = 0; i + 1 < bursts.size(); ++i) {
      starts.push_back(bursts[i + 1].begin - bursts[i].begin);
      active += bursts[i].active_ns;
    }
    std::ranges::nth_element(starts, starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2));
    found_.period_s = static_cast<double>(starts[starts.size() / 2]) * 1e-9;
    found_.duty = std::min(1.0, active / static_cast<double>(bursts.back().begin - bursts.front().begin));
    found_.evidence.push_back(fmt::format("{} phases of writing, one every {:.3g} s, {:.0f} % of the time",
                                          bursts.size(), *found_.period_s, 100 * found_.duty));
  }

  const std::vector<trace::ProcessSlices>& processes_;
  const ClassifyOptions& options_;
  Class found_;
  std::array<std::vector<detail::Weighted>, 3> chunks_;
  std::array<double, 3> bytes_{}, counts_{};
  std::map<std::int64_t, std::uint64_t> busy_ns_;  // by slice
  std::uint64_t metadata_ = 0, flushed_ = 0;
  std::int64_t slice_ns_ = 1, first_ns_ = 0, last_ns_ = 0;
  bool any_ = false;
};

}  // namespace

Class classify(const std::vector<trace::ProcessSlices>& processes, const ClassifyOptions& options) {
  return Classifier(processes, options).find();
}

}  // namespace weir::interference
