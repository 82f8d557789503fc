#include "interference/detail/side_outcome.hpp"

#include "base/json.hpp"

namespace weir::interference::detail {
namespace {

Json error_json(const Error& error) {
  return {{"error",
           {{"code", static_cast<int>(error.code())},
            {"context", error.context()},
            {"message", error.message()},
            {"remedy", error.remedy()}}}};
}

Error error_of(const Json& json) {
  Error error(static_cast<Errc>(json.value("code", static_cast<int>(Errc::internal))),
              json.value("message", "no reason was given"));
  if (const std::string context = json.value("context", ""); !context.empty())
    error = std::move(error).in(context);
  const std::string remedy = json.value("remedy", "");
  return remedy.empty() ? error : error.with_remedy(remedy);
}

}  // namespace

std::string run_pattern(const Side& side, const std::filesystem::path& directory,
                        const std::function<Result<void>()>& before_start) {
  Json laps = Json::array();
  do {
    const bool first = laps.empty();
    auto outcome = workload::run(side.job(directory),
                                 {.before_start = first ? before_start : nullptr, .progress = true});
    if (!outcome && side.endless && outcome.error().code() == Errc::interrupted) break;
    if (!outcome) return error_json(outcome.error()).dump();
    laps.push_back(to_json(*outcome));
  } while (side.endless);
  return Json{{"laps", std::move(laps)}}.dump();
}

Result<SideEnd> read_outcome(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return json.error().in("its outcome");
  if (const auto error = json->find("error"); error != json->end()) return error_of(*error);
  const auto laps = json->find("laps");
  if (laps == json->end() || !laps->is_array()) return Error{Errc::bad_data, "no laps"};
  SideEnd end;
  std::vector<Course::Point> points;
  double before = 0;
  for (const Json& lap : *laps) {
    const auto outcome = workload::outcome_from_json(lap);
    if (!outcome) return outcome.error();
    if (end.started_ns == 0) end.started_ns = outcome->started_ns;
    const double offset = static_cast<double>(outcome->started_ns - end.started_ns) * 1e-9;
    for (const workload::ProgressPoint& point : outcome->progress)
      points.push_back({offset + static_cast<double>(point.at.count) * 1e-9,
                        before + static_cast<double>(point.bytes.count)});
    before += static_cast<double>(outcome->bytes.count);
    end.worker_s.clear();
    for (const workload::WorkerTimes& worker : outcome->workers) {
      end.worker_s.push_back(offset + static_cast<double>(worker.end.count) * 1e-9);
      end.whole_s = std::max(end.whole_s, end.worker_s.back());
    }
    end.cached = outcome->cached;
    end.notes = outcome->notes;
  }
  end.course = Course(std::move(points));
  return end;
}

}  // namespace weir::interference::detail
