#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/json.hpp"
#include "interference/slices.hpp"

namespace weir::interference {
namespace {

constexpr std::size_t kFewestSlices = 3;  // of each kind

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, values.begin() + at);
  return values[static_cast<std::size_t>(at)];
}

double total(const ProgramSlices& program, Metric metric) {
  double sum = 0;
  for (const trace::ProcessSlice& slice : program.slices) sum += value_of(slice, metric);
  return sum;
}

// The source does the same where C++ streams hide the bytes.
Metric metric_of(const ProgramSlices& program, const std::optional<Metric>& wanted) {
  if (wanted) return *wanted;
  return total(program, Metric::written) > 0 ? Metric::written : Metric::closes;
}

// Bytes written to the storage's devices in the slices of the monitors, put into ours.
std::vector<double> storage_in(const Json& seen, const Joined& joined) {
  std::vector<double> written(joined.begin_ns.size(), 0);
  const auto slices = seen.find("slices");
  if (slices == seen.end() || !slices->contains("begin_ns") || joined.begin_ns.empty()) return {};
  const Json& begins = (*slices)["begin_ns"];
  const auto devices = seen.find("devices");
  // Disks beneath others would count the same bytes again.
  const auto wanted = [&](const std::string& source) {
    return source.starts_with("disk:") && (devices == seen.end() || devices->empty() ||
                                           std::ranges::find(*devices, Json(source)) != devices->end());
  };
  for (const auto& [source, counters] : slices->items()) {
    if (!wanted(source) || !counters.contains("write_bytes")) continue;
    const Json& values = counters["write_bytes"];
    for (std::size_t i = 0; i < values.size() && i < begins.size(); ++i) {
      if (!values[i].is_number()) continue;
      const std::int64_t into = begins[i].get<std::int64_t>() - joined.begin_ns.front();
      if (into < 0) continue;
      const auto slice = static_cast<std::size_t>(into / joined.slice_ns);
      if (slice < written.size()) written[slice] += values[i].get<double>();
    }
  }
  return written;
}

void find_dents(Joined& joined, double silent_median, const JoinOptions& options) {
  for (std::size_t i = 0; i < joined.probe.size();) {
    std::size_t end = i;
    double sum = 0;
    bool in_step = false;
    while (end < joined.probe.size() && joined.probe[end] < options.dent_below * silent_median) {
      sum += joined.probe[end];
      in_step = in_step || joined.active[end];
      ++end;
    }
    if (end > i) {
      joined.dents.push_back({joined.begin_ns[i], joined.begin_ns[end - 1] + joined.slice_ns,
                              100 * (1 - sum / static_cast<double>(end - i) / silent_median)});
      joined.dents_in_step += in_step ? 1 : 0;
    }
    i = end + 1;
  }
}

void count_phases(Joined& joined) {
  for (std::size_t i = 0; i < joined.active.size(); ++i) {
    if (!joined.active[i]) continue;
    const std::int64_t begin_ns = joined.begin_ns[i];
    while (i + 1 < joined.active.size() && joined.active[i + 1]) ++i;
    const std::int64_t end_ns = joined.begin_ns[i] + joined.slice_ns;
    ++joined.phases;
    joined.phases_with_dent += std::ranges::any_of(
        joined.dents, [&](const Dent& dent) { return dent.begin_ns < end_ns && dent.end_ns > begin_ns; });
  }
}

}  // namespace

Result<Joined> join(const ProgramSlices& probe, const ProgramSlices& signal, const Json* storage,
                    const JoinOptions& options) {
  if (probe.slice_ns != signal.slice_ns)
    return Error{Errc::usage, fmt::format("{} has slices of {} ns, {} of {} ns", probe.name, probe.slice_ns,
                                          signal.name, signal.slice_ns)}
        .with_remedy("give both the same --slice");
  Joined joined;
  joined.slice_ns = probe.slice_ns;
  joined.metric = metric_of(probe, options.metric);
  const Metric of_signal = metric_of(signal, {});
  const std::int64_t first = probe.slices.front().begin_ns, last = probe.slices.back().begin_ns;
  // A signal that has not begun, or has ended, is silent. The first and the last slice of the probe are not
  // whole.
  std::map<std::int64_t, double> of_other;
  for (const trace::ProcessSlice& slice : signal.slices)
    of_other[slice.begin_ns] = value_of(slice, of_signal);
  for (const trace::ProcessSlice& slice : probe.slices) {
    if (slice.begin_ns == first || slice.begin_ns == last) continue;
    joined.begin_ns.push_back(slice.begin_ns);
    joined.probe.push_back(value_of(slice, joined.metric));
    const auto at = of_other.find(slice.begin_ns);
    joined.signal.push_back(at == of_other.end() ? 0 : at->second);
  }
  const double busy = quantile(joined.signal, 0.9);
  const double limit = options.active_above * (busy > 0 ? busy : quantile(joined.signal, 1));
  std::vector<double> active, silent;
  for (std::size_t i = 0; i < joined.probe.size(); ++i) {
    joined.active.push_back(joined.signal[i] > limit);
    (joined.active[i] ? active : silent).push_back(joined.probe[i]);
  }
  joined.active_slices = active.size();
  joined.silent_slices = silent.size();
  if (active.size() < kFewestSlices || silent.size() < kFewestSlices)
    return Error{Errc::bad_data,
                 fmt::format("{} has {} slices with {} active and {} with it silent: too few to compare",
                             probe.name, active.size(), signal.name, silent.size())}
        .with_remedy("let them run longer side by side, or make slices shorter (--slice)");
  joined.loss = degradation(silent, active);
  const double median = quantile(silent, 0.5);
  if (median > 0)
    find_dents(joined, median, options);
  else
    joined.notes.push_back(
        fmt::format("{} does nothing in most silent slices: losses are not to be told by {}", probe.name,
                    name(joined.metric)));
  count_phases(joined);
  if (storage != nullptr) joined.storage = storage_in(*storage, joined);
  if (probe.lost + signal.lost > 0) joined.notes.emplace_back("some slices found no room in their file");
  return joined;
}

Json to_json(const Joined& joined) {
  Json dents = Json::array();
  for (const Dent& dent : joined.dents)
    dents.push_back(
        {{"begin_ns", dent.begin_ns}, {"end_ns", dent.end_ns}, {"depth_percent", dent.depth_percent}});
  return {{"metric", name(joined.metric)},
          {"slice_ns", joined.slice_ns},
          {"active_slices", joined.active_slices},
          {"silent_slices", joined.silent_slices},
          {"degradation_percent", json_number(joined.loss.percent)},
          {"low", json_number(joined.loss.low)},
          {"high", json_number(joined.loss.high)},
          {"dents", std::move(dents)},
          {"dents_in_step", joined.dents_in_step},
          {"active_phases", joined.phases},
          {"active_phases_with_dent", joined.phases_with_dent},
          {"begin_ns", joined.begin_ns},
          {"probe", joined.probe},
          {"signal", joined.signal},
          {"storage_bytes", joined.storage.empty() ? Json(nullptr) : Json(joined.storage)},
          {"active", joined.active},
          {"notes", joined.notes}};
}

}  // namespace weir::interference
