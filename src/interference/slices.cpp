#include "interference/slices.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/folders.hpp"
#include "base/json.hpp"

namespace weir::interference {
namespace {

namespace fs = std::filesystem;
using trace::ProcessSlice;

constexpr std::size_t kMostSlices = 10'000'000;
constexpr std::array kMetrics = {"written", "read", "closes"};

void add(ProcessSlice& sum, const ProcessSlice& more) {
  for (std::size_t layer = 0; layer < sum.counts.size(); ++layer)
    for (std::size_t operation = 0; operation < sum.counts[layer].size(); ++operation)
      sum.counts[layer][operation] += more.counts[layer][operation];
}

Result<void> fill(ProgramSlices& program, const std::map<std::int64_t, ProcessSlice>& found) {
  const std::int64_t first = found.begin()->first, last = found.rbegin()->first;
  const auto count = static_cast<std::size_t>((last - first) / program.slice_ns) + 1;
  if (count > kMostSlices) return Error{Errc::too_big, fmt::format("{} slices from first to last", count)};
  program.slices.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    program.slices[i].begin_ns = first + static_cast<std::int64_t>(i) * program.slice_ns;
  for (const auto& [begin, slice] : found)
    add(program.slices[static_cast<std::size_t>((begin - first) / program.slice_ns)], slice);
  return {};
}

}  // namespace

std::string_view name(Metric metric) { return kMetrics[static_cast<std::size_t>(metric)]; }

std::optional<Metric> find_metric(std::string_view name) {
  for (std::size_t i = 0; i < kMetrics.size(); ++i)
    if (kMetrics[i] == name) return static_cast<Metric>(i);
  return std::nullopt;
}

double value_of(const ProcessSlice& slice, Metric metric) {
  using trace::slices::Operation;
  switch (metric) {
    case Metric::written:
      return static_cast<double>(slice.of(Operation::write).bytes);
    case Metric::read:
      return static_cast<double>(slice.of(Operation::read).bytes);
    case Metric::closes:
      return static_cast<double>(slice.of(Operation::close).calls);
  }
  return 0;
}

bool holds_slices(const fs::path& directory) {
  std::error_code fault;
  return fs::is_directory(directory, fault) &&
         std::ranges::any_of(names_in(directory),
                             [](const std::string& name) { return name.ends_with(trace::slices::kSuffix); });
}

Result<std::vector<trace::ProcessSlices>> read_process_slices(const fs::path& directory,
                                                              std::vector<std::string>& notes) {
  std::vector<trace::ProcessSlices> found;
  bool any = false;
  for (const std::string& name : names_in(directory)) {
    if (!name.ends_with(trace::slices::kSuffix)) continue;
    auto one = trace::read_slices(directory / name);
    if (!one) {
      notes.push_back(one.error().text());
      continue;
    }
    if (!found.empty() && one->slice_ns != found.front().slice_ns) {
      notes.push_back(fmt::format("{}: has slices of another length, and is left out", name));
      continue;
    }
    const auto torn = [&](const ProcessSlice& slice) { return slice.begin_ns % one->slice_ns != 0; };
    if (std::erase_if(one->slices, torn) > 0)
      notes.push_back(
          fmt::format("{}: a slice that does not begin at a multiple of its length is left out", name));
    any = any || !one->slices.empty();
    found.push_back(*std::move(one));
  }
  if (!any)
    return Error{Errc::not_found, "holds no slices"}
        .in(directory.string())
        .with_remedy("make them by weir interfere slices --out DIR -- PROGRAM");
  return found;
}

Result<ProgramSlices> read_program_slices(const fs::path& directory, std::vector<std::string>& notes) {
  const auto processes = read_process_slices(directory, notes);
  if (!processes) return processes.error();
  ProgramSlices program;
  program.name = directory.filename().empty() ? directory.parent_path().filename() : directory.filename();
  program.slice_ns = processes->front().slice_ns;
  program.processes = processes->size();
  std::map<std::int64_t, ProcessSlice> found;
  for (const trace::ProcessSlices& one : *processes) {
    program.lost += one.lost;
    for (const ProcessSlice& slice : one.slices) {
      auto [at, fresh] = found.try_emplace(slice.begin_ns, slice);
      if (!fresh) add(at->second, slice);
    }
  }
  if (const auto filled = fill(program, found); !filled) return filled.error().in(directory.string());
  return program;
}

Json to_json(const ProgramSlices& program) {
  Json json = {{"name", program.name},
               {"slice_ns", program.slice_ns},
               {"processes", program.processes},
               {"lost_calls", program.lost},
               {"begin_ns", Json::array()}};
  for (const ProcessSlice& slice : program.slices) json["begin_ns"].push_back(slice.begin_ns);
  const auto columns = [&](auto count_in) {
    Json calls = Json::array(), bytes = Json::array(), time = Json::array();
    bool any = false;
    for (const ProcessSlice& slice : program.slices) {
      const trace::SliceCount count = count_in(slice);
      calls.push_back(count.calls);
      bytes.push_back(count.bytes);
      time.push_back(static_cast<double>(count.time_ns) * 1e-9);
      any = any || count.calls > 0;
    }
    return std::pair(
        Json{{"calls", std::move(calls)}, {"bytes", std::move(bytes)}, {"time_s", std::move(time)}}, any);
  };
  Json mpiio = Json::object();
  for (std::size_t i = 0; i < trace::slices::kOperations; ++i) {
    const auto operation = static_cast<trace::slices::Operation>(i);
    const std::string called(name(operation));
    json[called] = columns([&](const ProcessSlice& slice) { return slice.of(operation); }).first;
    constexpr auto kMpi = static_cast<std::size_t>(trace::slices::Layer::mpiio);
    auto [of_mpi, any] = columns([&](const ProcessSlice& slice) { return slice.counts[kMpi][i]; });
    if (any) mpiio[called] = std::move(of_mpi);
  }
  json["mpiio"] = mpiio.empty() ? Json(nullptr) : std::move(mpiio);
  return json;
}

}  // namespace weir::interference
