#include "interference/classify.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "consistency/operation.hpp"
#include "interference/detail/chunks.hpp"
#include "interference/detail/sessions.hpp"

namespace weir::interference {
namespace {

using detail::Session;
using detail::Weighted;

constexpr std::array kNames = {"open_write_close", "write_seek", "aggregate_write", "mixed", "none"};
constexpr double kPause = 0.01;  // of the whole, between bursts

// A session that is written in one go is one of many files, or a file that grows: what else the process
// writes tells. Seeks tell at once.
WritePattern pattern_of(const Session& session, std::uint64_t of_process) {
  if (session.runs > 1 && 2 * session.runs > session.writes) return WritePattern::write_seek;
  return of_process >= detail::kManySessions && session.ended ? WritePattern::open_write_close
                                                              : WritePattern::aggregate_write;
}

class Classifier {
 public:
  Classifier(const semantics::Accesses& accesses, const ClassifyOptions& options)
      : accesses_(accesses), options_(options) {}

  Class find() {
    for (const semantics::File& file : accesses_.files)
      if (wanted(file.name)) look_at(file);
    for (const semantics::NameUse& use : accesses_.name_uses)
      if (wanted(accesses_.names[use.name])) {
        ++metadata_;
        spread(use.start_ns, use.end_ns);
      }
    found_.processes = writers_.size();
    found_.duration_s = static_cast<double>(std::max<std::int64_t>(0, last_ns_ - first_ns_)) * 1e-9;
    if (found_.duration_s > 0) found_.metadata_per_s = static_cast<double>(metadata_) / found_.duration_s;
    name_it();
    find_bursts();
    return std::move(found_);
  }

 private:
  bool wanted(const std::string& file) const {
    if (options_.under.empty()) return true;
    return file.starts_with(options_.under) &&
           (file.size() == options_.under.size() || options_.under.ends_with('/') ||
            file[options_.under.size()] == '/');
  }

  void spread(std::int64_t from, std::int64_t to) {
    first_ns_ = any_ ? std::min(first_ns_, from) : from;
    last_ns_ = any_ ? std::max(last_ns_, to) : to;
    any_ = true;
  }

  void look_at(const semantics::File& file) {
    found_.read += Bytes(file.read_bytes);
    for (const semantics::Member& member : file.members) {
      for (const semantics::SyncPoint& sync : member.syncs) {
        metadata_ += detail::opens_or_closes(sync) ? 1 : 0;
        // To wait for a flush is to write.
        if (detail::flushes(sync) && file.written_bytes > 0) busy_.emplace_back(sync.start_ns, sync.end_ns);
        spread(sync.start_ns, sync.end_ns);
      }
    }
    for (const semantics::Access& access : file.accesses) {
      spread(access.start_ns, access.end_ns);
      if (access.writes() && (access.flags & semantics::Access::kTruncates) == 0)
        busy_.emplace_back(access.start_ns, access.end_ns);
    }
    if (file.written_bytes == 0) return;
    ++found_.files;
    for (Session& session : detail::sessions_of(file)) {
      writers_.insert(session.process);
      ++by_process_[session.process];
      if (file.writers > 1) shared_ += session.bytes;
      flushed_ += session.flushed_bytes;
      sessions_.push_back(std::move(session));
    }
  }

  void name_it() {
    std::array<std::vector<Weighted>, 3> chunks;
    std::array<std::uint64_t, 3> bytes{}, counts{};
    std::uint64_t all = 0;
    for (const Session& session : sessions_) {
      const auto pattern = static_cast<std::size_t>(pattern_of(session, by_process_[session.process]));
      bytes[pattern] += session.bytes;
      ++counts[pattern];
      all += session.bytes;
      const auto& sizes = pattern == 0   ? session.whole
                          : pattern == 1 ? session.run_sizes
                                         : session.write_sizes;
      for (const std::uint64_t size : sizes)
        chunks[pattern].push_back({static_cast<double>(size), static_cast<double>(size)});
    }
    found_.written = Bytes(all);
    if (all == 0) {
      found_.evidence.emplace_back("nothing is written");
      return;
    }
    for (std::size_t i = 0; i < 3; ++i)
      found_.shares[i] = static_cast<double>(bytes[i]) / static_cast<double>(all);
    const auto most = static_cast<std::size_t>(std::ranges::max_element(bytes) - bytes.begin());
    found_.pattern =
        found_.shares[most] >= options_.clear ? static_cast<WritePattern>(most) : WritePattern::mixed;
    found_.chunk = detail::size_below(chunks[most], 0.5);
    found_.chunk_quarter = detail::size_below(chunks[most], 0.25);
    found_.chunk_three_quarters = detail::size_below(chunks[most], 0.75);
    found_.flushed_share = static_cast<double>(flushed_) / static_cast<double>(all);
    found_.shared_share = static_cast<double>(shared_) / static_cast<double>(all);
    explain(bytes, counts, all);
  }

  void explain(const std::array<std::uint64_t, 3>& bytes, const std::array<std::uint64_t, 3>& counts,
               std::uint64_t all) {
    constexpr std::array kReasons = {"each written in one go and closed, many by the same process",
                                     "written in pieces with seeks between them", "appended to"};
    for (std::size_t i = 0; i < 3; ++i)
      if (counts[i] > 0)
        found_.evidence.push_back(fmt::format("{}: {} opened files with {:.0f} % of {} {}", kNames[i],
                                              format_count(counts[i]),
                                              100 * static_cast<double>(bytes[i]) / static_cast<double>(all),
                                              format_bytes(Bytes(all)), kReasons[i]));
    found_.evidence.push_back(
        fmt::format("half of the pattern's bytes are in chunks of {} or less (a quarter below {}, three "
                    "quarters below {})",
                    format_bytes(found_.chunk), format_bytes(found_.chunk_quarter),
                    format_bytes(found_.chunk_three_quarters)));
    found_.evidence.push_back(fmt::format(
        "{:.0f} % of the bytes are flushed before the next write, {:.0f} % are in files of several processes",
        100 * found_.flushed_share, 100 * found_.shared_share));
  }

  void find_bursts() {
    if (busy_.empty()) return;
    std::ranges::sort(busy_);
    const double whole = static_cast<double>(last_ns_ - first_ns_);
    std::vector<std::pair<std::int64_t, std::int64_t>> bursts;
    for (const auto& [begin, end] : busy_) {
      if (bursts.empty() || static_cast<double>(begin - bursts.back().second) > kPause * whole)
        bursts.emplace_back(begin, end);
      else
        bursts.back().second = std::max(bursts.back().second, end);
    }
    found_.bursts = bursts.size();
    if (bursts.size() < detail::kFewestBursts) return;
    std::vector<std::int64_t> starts;
    for (std::size_t i = 1; i < bursts.size(); ++i) starts.push_back(bursts[i].first - bursts[i - 1].first);
    std::ranges::nth_element(starts, starts.begin() + static_cast<std::ptrdiff_t>(starts.size() / 2));
    found_.period_s = static_cast<double>(starts[starts.size() / 2]) * 1e-9;
    // Whole periods only: from the first burst to the beginning of the last.
    double active = 0;
    for (std::size_t i = 0; i + 1 < bursts.size(); ++i)
      active += static_cast<double>(bursts[i].second - bursts[i].first);
    found_.duty = active / static_cast<double>(bursts.back().first - bursts.front().first);
    found_.evidence.push_back(fmt::format("{} phases of writing, one every {:.3g} s, {:.0f} % of the time",
                                          bursts.size(), *found_.period_s, 100 * found_.duty));
  }

  const semantics::Accesses& accesses_;
  const ClassifyOptions& options_;
  Class found_;
  std::vector<Session> sessions_;
  std::set<std::uint32_t> writers_;
  std::map<std::uint32_t, std::uint64_t> by_process_;  // sessions
  std::vector<std::pair<std::int64_t, std::int64_t>> busy_;
  std::uint64_t metadata_ = 0, shared_ = 0, flushed_ = 0;
  std::int64_t first_ns_ = 0, last_ns_ = 0;
  bool any_ = false;
};

}  // namespace

std::string_view name(WritePattern pattern) { return kNames[static_cast<std::size_t>(pattern)]; }

Class classify(const semantics::Accesses& accesses, const ClassifyOptions& options) {
  return Classifier(accesses, options).find();
}

}  // namespace weir::interference
