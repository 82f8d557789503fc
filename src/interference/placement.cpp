#include "interference/placement.hpp"

#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>

#include "base/json.hpp"
#include "interference/degradation.hpp"
#include "interference/together.hpp"
#include "monitor/watch.hpp"

namespace weir::interference {
namespace {

// The storage's view of every target, each by a watch of its own.
class TargetWatch {
 public:
  explicit TargetWatch(const PlacementStudy& study) {
    for (const auto& target : study.targets) {
      monitor::WatchOptions options;
      options.root = study.root;
      options.directories = {target};
      options.slice = study.slice;
      if (auto watch = monitor::Watch::start(options)) watches_.push_back(*std::move(watch));
    }
    if (watches_.size() != study.targets.size()) watches_.clear();
  }

  std::vector<monitor::Seen> stop() {
    std::vector<monitor::Seen> seen;
    for (monitor::Watch& watch : watches_) seen.push_back(watch.stop());
    return seen;
  }

 private:
  std::vector<monitor::Watch> watches_;
};

// Counters of a device tell one target's share only where no two targets are on it.
bool devices_differ(const std::vector<monitor::Seen>& seen) {
  std::set<std::string> devices;
  std::size_t count = 0;
  for (const monitor::Seen& each : seen) {
    if (each.storage.devices.empty()) return false;
    devices.insert(each.storage.devices.begin(), each.storage.devices.end());
    count += each.storage.devices.size();
  }
  return !seen.empty() && devices.size() == count;
}

std::vector<double> written_to(const monitor::Seen& seen, const std::vector<std::int64_t>& begins) {
  std::vector<double> bytes(begins.size());
  for (std::size_t i = 0; i < seen.counters.size(); ++i) {
    const monitor::Counter& counter = seen.counters[i];
    if (counter.name != "write_bytes" ||
        std::ranges::find(seen.storage.devices, counter.source) == seen.storage.devices.end())
      continue;
    for (const monitor::Slice& slice : seen.slices) {
      const auto after = std::ranges::upper_bound(begins, slice.begin_ns);
      if (after == begins.begin() || i >= slice.changes.size() || !(slice.changes[i] > 0)) continue;
      bytes[static_cast<std::size_t>(after - begins.begin() - 1)] += slice.changes[i];
    }
  }
  return bytes;
}

Targets courses_of(const PlacementStudy& study, const std::vector<monitor::Seen>& seen) {
  Targets targets;
  targets.slice_ns = study.slice.count;
  std::int64_t first = seen.front().begin_ns, last = seen.front().end_ns;
  for (const monitor::Seen& each : seen) {
    first = std::min(first, each.begin_ns);
    last = std::max(last, each.end_ns);
  }
  for (std::int64_t at = first / targets.slice_ns * targets.slice_ns; at < last; at += targets.slice_ns)
    targets.begin_ns.push_back(at);
  for (std::size_t i = 0; i < seen.size(); ++i)
    targets.courses.push_back({study.targets[i].string(), written_to(seen[i], targets.begin_ns)});
  return targets;
}

// What the programs themselves know, where the storage's counters do not tell.
Targets courses_of(const PlacementStudy& study, const Together& together,
                   const std::vector<std::size_t>& target_of_side) {
  Targets targets;
  targets.slice_ns = study.slice.count;
  const double slice_s = static_cast<double>(study.slice.count) * 1e-9;
  double longest = slice_s;
  for (const SideResult& side : together.sides) longest = std::max(longest, side.whole_s);
  for (double at = 0; at < longest; at += slice_s)
    targets.begin_ns.push_back(static_cast<std::int64_t>(targets.begin_ns.size()) * targets.slice_ns);
  for (std::size_t i = 0; i < study.targets.size(); ++i) {
    TargetCourse& course = targets.courses.emplace_back();
    course.name = study.targets[i].string();
    course.bytes.resize(targets.begin_ns.size());
    for (std::size_t side = 0; side < target_of_side.size(); ++side) {
      if (target_of_side[side] != i) continue;
      for (std::size_t slice = 0; slice < course.bytes.size(); ++slice) {
        const double begin = static_cast<double>(slice) * slice_s;
        course.bytes[slice] +=
            together.sides[side].course.at(begin + slice_s) - together.sides[side].course.at(begin);
      }
    }
  }
  return targets;
}

void judge(const std::vector<monitor::Seen>& seen, const PlacementStudy& study, PlacedRun& run) {
  std::vector<std::uint64_t> files(study.targets.size());
  for (const std::size_t target : run.target_of) ++files[target];
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const Bytes own(files[i] * study.size.count);
    const auto verdict = monitor::judge(seen[i], Bytes(), own, {.cpu_pressure = 1});
    if (verdict.clean || run.disturbed) continue;
    run.disturbed = true;
    run.reason = verdict.reasons.front();
  }
}

}  // namespace

std::string_view name(Placement placement) {
  return placement == Placement::balanced ? "balanced" : "random";
}

double PlacedRun::slowest_s() const { return std::ranges::max(process_s); }
double PlacedRun::spread_s() const { return std::ranges::max(process_s) - std::ranges::min(process_s); }

std::vector<std::size_t> placed(Placement placement, std::uint32_t processes, std::size_t targets,
                                std::uint64_t seed, std::uint32_t run) {
  std::vector<std::size_t> places(processes);
  std::seed_seq seeds{seed, std::uint64_t{run}};
  std::mt19937_64 random(seeds);
  for (std::uint32_t i = 0; i < processes; ++i)
    places[i] = placement == Placement::balanced ? i % targets : random() % targets;
  return places;
}

Result<PlacedRun> run_placed(const PlacementStudy& study, Placement placement, std::uint32_t run) {
  PlacedRun result;
  result.placement = placement;
  result.target_of = placed(placement, study.processes, study.targets.size(), study.seed, run);
  std::ranges::sort(result.target_of);
  std::vector<Side> sides;
  std::vector<std::size_t> target_of_side;
  for (std::size_t target = 0; target < study.targets.size(); ++target) {
    const auto files = std::ranges::count(result.target_of, target);
    if (files == 0) continue;
    auto load = pattern("aggregate_write");
    if (!load) return load.error();
    Side side;
    side.load = *std::move(load);
    side.load.job.sync_at_end = true;  // a process ends when its data are on the target
    side.chunk = study.chunk;
    side.processes = static_cast<std::uint32_t>(files);
    side.size = study.size;
    side.directory = study.targets[target];
    sides.push_back(std::move(side));
    target_of_side.push_back(target);
  }
  TargetWatch watch(study);
  const auto together =
      run_together(sides, study.targets.front(), {.monitors = false, .limits = {}, .root = study.root});
  const auto seen = watch.stop();
  if (!together) return together.error();
  for (const SideResult& side : together->sides)
    result.process_s.insert(result.process_s.end(), side.worker_s.begin(), side.worker_s.end());
  result.storage_seen = devices_differ(seen);
  result.courses =
      result.storage_seen ? courses_of(study, seen) : courses_of(study, *together, target_of_side);
  result.balance = balance_of(result.courses);
  if (result.storage_seen) judge(seen, study, result);
  return result;
}

PlacementSummary summary_of(Placement placement, const std::vector<PlacedRun>& runs, bool disturbed_too) {
  PlacementSummary summary;
  summary.placement = placement;
  std::vector<double> runtimes, spreads, tails, imbalances;
  for (const PlacedRun& run : runs) {
    if (run.placement != placement) continue;
    if (run.disturbed) ++summary.disturbed;
    if (run.disturbed && !disturbed_too) continue;
    ++summary.runs;
    runtimes.push_back(run.slowest_s());
    spreads.push_back(run.spread_s());
    tails.push_back(run.balance.tail_share);
    imbalances.push_back(run.balance.imbalance);
    summary.straggled.resize(run.courses.courses.size());
    for (std::size_t i = 0; i < run.courses.courses.size(); ++i)
      for (const TargetEnd& end : run.balance.targets)
        if (end.name == run.courses.courses[i].name && end.straggler) ++summary.straggled[i];
  }
  summary.runtime_s = median(runtimes);
  summary.spread_s = median(spreads);
  summary.tail_share = median(tails);
  summary.imbalance = median(imbalances);
  return summary;
}

Json to_json(const PlacedRun& run) {
  Json json = to_json(run.balance);
  json["placement"] = name(run.placement);
  json["target_of"] = run.target_of;
  json["process_s"] = run.process_s;
  json["seen_by"] = run.storage_seen ? "storage" : "programs";
  json["disturbed"] = run.disturbed ? Json(run.reason) : Json(nullptr);
  json["slice_ns"] = run.courses.slice_ns;
  json["begin_ns"] = run.courses.begin_ns;
  json["written_bytes"] = Json::array();
  for (const TargetCourse& course : run.courses.courses) json["written_bytes"].push_back(course.bytes);
  return json;
}

}  // namespace weir::interference
