#include <string>

#include <fmt/format.h>

#include "base/json.hpp"
#include "workload/run.hpp"

namespace weir::workload {
namespace {

Json shown(const Latency& latency) {
  return {{"count", latency.count},
          {"p50_ns", latency.p50.count},
          {"p99_ns", latency.p99.count},
          {"p999_ns", latency.p999.count},
          {"max_ns", latency.max.count}};
}

// Reads fields one after the other; after the first that is not as it should be, only remembers it.
class Fields {
 public:
  explicit Fields(const Json& json) : json_(json) {
    if (!json.is_object()) problem_ = "is no object";
  }

  template <class N>
  void number(const char* name, N& into) {
    const Json* const value = find(name);
    if (value == nullptr) return;
    const bool fits =
        std::is_signed_v<N> ? value->is_number_integer() && !exceeds(*value) : value->is_number_unsigned();
    if (fits)
      into = value->get<N>();
    else
      problem_ = fmt::format("{} is no whole number", name);
  }
  void bytes(const char* name, Bytes& into) { number(name, into.count); }
  void time(const char* name, Nanoseconds& into) { number(name, into.count); }
  const Json* find(const char* name) {
    if (!problem_.empty()) return nullptr;
    const auto at = json_.find(name);
    if (at == json_.end()) {
      problem_ = fmt::format("has no {}", name);
      return nullptr;
    }
    return &*at;
  }
  const std::string& problem() const { return problem_; }

 private:
  static bool exceeds(const Json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  }

  const Json& json_;
  std::string problem_;
};

std::string read(const Json& json, Latency& latency) {
  Fields fields(json);
  fields.number("count", latency.count);
  fields.time("p50_ns", latency.p50);
  fields.time("p99_ns", latency.p99);
  fields.time("p999_ns", latency.p999);
  fields.time("max_ns", latency.max);
  return fields.problem();
}

std::string read(const Json& json, WorkerTimes& worker) {
  Fields fields(json);
  fields.time("begin_ns", worker.begin);
  fields.time("end_ns", worker.end);
  fields.time("open_ns", worker.open);
  fields.time("close_ns", worker.close);
  fields.bytes("bytes", worker.bytes);
  fields.number("operations", worker.operations);
  return fields.problem();
}

// Not in every outcome.
std::string read_progress(const Json& json, Outcome& outcome) {
  const auto progress = json.find("progress");
  if (progress == json.end()) return {};
  Fields fields(*progress);
  const Json* const at = fields.find("at_ns");
  const Json* const bytes = fields.find("bytes");
  if (at == nullptr || bytes == nullptr) return "progress " + fields.problem();
  if (!at->is_array() || !bytes->is_array() || at->size() != bytes->size())
    return "progress is no pair of lists of one length";
  for (std::size_t i = 0; i < at->size(); ++i) {
    if (!(*at)[i].is_number_integer() || !(*bytes)[i].is_number_unsigned())
      return "progress holds something that is no whole number";
    outcome.progress.push_back(
        {Nanoseconds((*at)[i].get<std::int64_t>()), Bytes((*bytes)[i].get<std::uint64_t>())});
  }
  return {};
}

std::string read(const Json& json, Outcome& outcome) {
  Fields fields(json);
  if (fields.problem().empty())
    if (auto problem = read_progress(json, outcome); !problem.empty()) return problem;
  fields.number("started_ns", outcome.started_ns);
  fields.bytes("bytes", outcome.bytes);
  fields.time("whole_ns", outcome.whole);
  fields.time("together_ns", outcome.together);
  fields.bytes("bytes_together", outcome.bytes_together);
  if (const Json* const cached = fields.find("cached_bytes"); cached != nullptr && !cached->is_null()) {
    if (!cached->is_number_unsigned()) return "cached_bytes is no whole number";
    outcome.cached = Bytes(cached->get<std::uint64_t>());
  }
  if (const Json* const workers = fields.find("workers")) {
    if (!workers->is_array()) return "workers is no list";
    for (const Json& each : *workers)
      if (auto problem = read(each, outcome.workers.emplace_back()); !problem.empty())
        return "a worker " + problem;
  }
  for (const auto& [name, latency] : {std::pair{"read", &outcome.read}, std::pair{"write", &outcome.write}})
    if (const Json* const json_latency = fields.find(name))
      if (auto problem = read(*json_latency, *latency); !problem.empty())
        return fmt::format("{} {}", name, problem);
  if (const Json* const verified = fields.find("verified")) {
    if (!verified->is_boolean()) return "verified is neither true nor false";
    outcome.verified = verified->get<bool>();
  }
  if (const Json* const notes = fields.find("notes")) {
    if (!notes->is_array()) return "notes is no list";
    for (const Json& note : *notes) {
      if (!note.is_string()) return "a note is no text";
      outcome.notes.push_back(note.get<std::string>());
    }
  }
  return fields.problem();
}

}  // namespace

Json to_json(const Outcome& outcome) {
  Json json = {{"started_ns", outcome.started_ns},
               {"bytes", outcome.bytes.count},
               {"whole_ns", outcome.whole.count},
               {"together_ns", outcome.together.count},
               {"bytes_together", outcome.bytes_together.count}};
  json["workers"] = Json::array();
  for (const WorkerTimes& worker : outcome.workers)
    json["workers"].push_back({{"begin_ns", worker.begin.count},
                               {"end_ns", worker.end.count},
                               {"open_ns", worker.open.count},
                               {"close_ns", worker.close.count},
                               {"bytes", worker.bytes.count},
                               {"operations", worker.operations}});
  json["cached_bytes"] = outcome.cached ? Json(outcome.cached->count) : Json(nullptr);
  if (!outcome.progress.empty()) {
    Json at = Json::array(), bytes = Json::array();
    for (const ProgressPoint& point : outcome.progress) {
      at.push_back(point.at.count);
      bytes.push_back(point.bytes.count);
    }
    json["progress"] = {{"at_ns", std::move(at)}, {"bytes", std::move(bytes)}};
  }
  json["read"] = shown(outcome.read);
  json["write"] = shown(outcome.write);
  json["verified"] = outcome.verified;
  json["notes"] = outcome.notes;
  return json;
}

Result<Outcome> outcome_from_json(const Json& json) {
  Outcome outcome;
  if (const std::string problem = read(json, outcome); !problem.empty())
    return Error{Errc::bad_data, problem}.in("outcome");
  return outcome;
}

}  // namespace weir::workload
