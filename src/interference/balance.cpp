#include "interference/balance.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/json.hpp"
#include "interference/degradation.hpp"

namespace weir::interference {
namespace {

// Where several kinds were seen, the first of these has the targets; disks may lie beneath each other.
constexpr std::array kKinds = {"lustre-obdfilter:", "lustre-osc:", "gluster:"};
constexpr double kAtWork = 0.01;     // of a target's busiest slice
constexpr double kStraggles = 1.25;  // times the end of the median target
constexpr double kSlicesLater = 2;

double number_at(const Json& values, std::size_t i) {
  return i < values.size() && values[i].is_number() ? values[i].get<double>() : 0;
}

// The source's bytes written in each slice; empty where there are none.
std::vector<double> written(const Json& counters, std::size_t slices) {
  const auto at = counters.find("write_bytes");
  if (at == counters.end() || !at->is_array()) return {};
  std::vector<double> bytes;
  double all = 0;
  for (std::size_t i = 0; i < slices; ++i) all += bytes.emplace_back(number_at(*at, i));
  return all > 0 ? bytes : std::vector<double>();
}

std::vector<std::string> wanted_sources(const Json& seen, const Json& slices) {
  std::vector<std::string> found;
  for (const std::string kind : kKinds) {
    for (const auto& [source, counters] : slices.items())
      if (source.starts_with(kind) && counters.is_object() && counters.contains("write_bytes"))
        found.push_back(source);
    if (!found.empty()) return found;
  }
  const auto devices = seen.find("devices");
  for (const auto& [source, counters] : slices.items()) {
    if (!source.starts_with("disk:")) continue;
    if (devices == seen.end() || !devices->is_array() || devices->empty() ||
        std::ranges::find(*devices, Json(source)) != devices->end())
      found.push_back(source);
  }
  return found;
}

}  // namespace

Result<Targets> targets_in(const Json& seen) {
  const auto slices = seen.is_object() ? seen.find("slices") : seen.end();
  if (!seen.is_object() || slices == seen.end() || !slices->is_object() || !slices->contains("begin_ns"))
    return Error{Errc::bad_data, "holds no slices of a storage"}.with_remedy(
        "make them by weir interfere slices --out DIR --dir STORAGE -- PROGRAM");
  Targets targets;
  for (const Json& begin : (*slices)["begin_ns"])
    targets.begin_ns.push_back(begin.is_number_integer() ? begin.get<std::int64_t>() : 0);
  if (!std::ranges::is_sorted(targets.begin_ns)) return Error{Errc::bad_data, "slices are not in order"};
  // Slices that came late are longer; the shortest tells.
  targets.slice_ns = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 1; i < targets.begin_ns.size(); ++i)
    targets.slice_ns = std::min(targets.slice_ns, targets.begin_ns[i] - targets.begin_ns[i - 1]);
  for (const std::string& source : wanted_sources(seen, *slices))
    if (auto bytes = written((*slices)[source], targets.begin_ns.size()); !bytes.empty())
      targets.courses.push_back({source, std::move(bytes)});
  if (targets.courses.empty() || targets.begin_ns.size() < 2)
    return Error{Errc::bad_data, "nothing was written to a target whose counters are there"}.with_remedy(
        "watch the storage while it is written to: weir interfere slices --dir STORAGE");
  return targets;
}

Balance balance_of(const Targets& targets) {
  Balance balance;
  const std::size_t slices = targets.begin_ns.size();
  std::vector<std::size_t> firsts, lasts;
  for (const TargetCourse& course : targets.courses) {
    const double busiest = course.bytes.empty() ? 0 : *std::ranges::max_element(course.bytes);
    if (!(busiest > 0)) continue;
    const auto at_work = [&](std::size_t i) { return course.bytes[i] > kAtWork * busiest; };
    std::size_t first = 0, last = std::min(slices, course.bytes.size()) - 1;
    while (!at_work(first)) ++first;
    while (!at_work(last)) --last;
    firsts.push_back(first);
    lasts.push_back(last);
    TargetEnd& end = balance.targets.emplace_back();
    end.name = course.name;
    for (const double bytes : course.bytes) end.bytes += bytes;
  }
  if (balance.targets.empty()) return balance;
  const std::int64_t start = targets.begin_ns[*std::ranges::min_element(firsts)];
  const auto end_of = [&](std::size_t slice) {
    const std::int64_t end =
        slice + 1 < slices ? targets.begin_ns[slice + 1] : targets.begin_ns[slice] + targets.slice_ns;
    return static_cast<double>(end - start) * 1e-9;
  };
  std::vector<double> ends;
  for (std::size_t i = 0; i < lasts.size(); ++i) {
    TargetEnd& end = balance.targets[i];
    ends.push_back(end.end_s = end_of(lasts[i]));
    end.rate = end.bytes / end.end_s;
  }
  const double middle = median(ends);
  for (TargetEnd& end : balance.targets)
    end.straggler = end.end_s >= kStraggles * middle &&
                    end.end_s >= middle + kSlicesLater * static_cast<double>(targets.slice_ns) * 1e-9;
  balance.whole_s = std::ranges::max(ends);
  balance.tail_s = balance.whole_s - std::ranges::min(ends);
  balance.imbalance = 100 * (balance.whole_s / middle - 1);
  const std::size_t quiet = *std::ranges::min_element(lasts);
  double all = 0, late = 0;
  for (const TargetCourse& course : targets.courses)
    for (std::size_t i = 0; i < course.bytes.size(); ++i) {
      all += course.bytes[i];
      if (i > quiet) late += course.bytes[i];
    }
  balance.tail_share = late / all;
  return balance;
}

Json to_json(const Balance& balance) {
  Json targets = Json::array();
  for (const TargetEnd& end : balance.targets)
    targets.push_back({{"name", end.name},
                       {"bytes", end.bytes},
                       {"end_s", end.end_s},
                       {"bytes_per_second", json_number(end.rate)},
                       {"straggler", end.straggler}});
  return {{"targets", std::move(targets)},
          {"whole_s", balance.whole_s},
          {"tail_s", balance.tail_s},
          {"tail_share", balance.tail_share},
          {"imbalance_percent", balance.imbalance}};
}

}  // namespace weir::interference
