#include "study/summary.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/units.hpp"
#include "study/gain.hpp"
#include "study/seconds.hpp"

namespace weir::study {
namespace {

constexpr std::size_t kExamples = 5;

std::vector<double> times(const std::vector<Run>& runs, std::string_view where, double Run::*field) {
  std::vector<double> made;
  for (const Run& run : runs)
    if (run.where == where) made.push_back(run.*field);
  return made;
}

// Everything from the first server to the last flushed byte.
std::vector<double> whole_times(const std::vector<Run>& runs, std::string_view where) {
  std::vector<double> made;
  for (const Run& run : runs)
    if (run.where == where) made.push_back(run.start_s + run.run_s + run.flush_s);
  return made;
}

Json sample_json(const std::vector<Run>& runs, const std::string& where) {
  std::vector<double> rates;
  for (const Run& run : runs)
    if (run.where == where && run.io_s > 0)
      rates.push_back(static_cast<double>(run.read_bytes + run.written_bytes) / run.io_s);
  const Level rate = level_of(rates);
  return {{"where", where},
          {"io", to_json(level_of(times(runs, where, &Run::io_s)))},
          {"run", to_json(level_of(times(runs, where, &Run::run_s)))},
          {"start", to_json(level_of(times(runs, where, &Run::start_s)))},
          {"flush", to_json(level_of(times(runs, where, &Run::flush_s)))},
          {"whole", to_json(level_of(whole_times(runs, where)))},
          {"bandwidth_bytes_per_s", rates.empty() ? Json(nullptr) : json_number(rate.median)}};
}

Json gain_json(const std::vector<double>& before, const std::vector<double>& after) {
  const auto positive = [](const std::vector<double>& values) {
    return !values.empty() && std::ranges::all_of(values, [](double value) { return value > 0; });
  };
  return positive(before) && positive(after) ? to_json(gain_of(before, after)) : Json(nullptr);
}

// What a document says, or null where there is none.
Json document_or_null(const State& state, const std::string& name) {
  if (!state.has(name)) return nullptr;
  auto made = state.document(name);
  return made ? *std::move(made) : Json(nullptr);
}

Json best_models(const Json& fit) {
  Json made = Json::object();
  if (!fit.is_object()) return made;
  for (const Json& group : fit.value("groups", Json::array())) {
    const Json models = group.value("models", Json::array());
    if (models.empty()) continue;
    made[group.at("key").value("where", "")] = {{"family", models[0].at("family")},
                                                {"components", models[0].at("components")},
                                                {"bic", models[0].at("bic")}};
  }
  return made;
}

Json needed_runs(const Json& plan) {
  Json made = Json::object();
  if (!plan.is_object()) return made;
  for (const Json& group : plan.value("groups", Json::array()))
    made[group.at("key").value("where", "")] = group.value("runs", Json(nullptr));
  return made;
}

std::string bytes(const Json& value) {
  return format_bytes(Bytes(value.is_number() ? value.get<std::uint64_t>() : 0));
}

double number_at(const Json& document, const char* pointer) {
  const Json::json_pointer at(pointer);
  return document.contains(at) && document.at(at).is_number() ? document.at(at).get<double>() : 0;
}

const Json& sample_of(const Json& document, std::string_view where) {
  static const Json kNone = Json::object();
  for (const Json& sample : document.at("samples"))
    if (sample.at("where").get<std::string>() == where) return sample;
  return kNone;
}

// "3.10 times [2.70, 3.60] shorter".
std::string factor(const Json& gain) {
  if (!gain.is_object()) return "not known";
  const double middle = number_at(gain, "/factor"), low = number_at(gain, "/low"),
               high = number_at(gain, "/high");
  if (middle >= 1) return fmt::format("{:.2f} times [{:.2f}, {:.2f}] shorter", middle, low, high);
  return fmt::format("{:.2f} times [{:.2f}, {:.2f}] longer", 1 / middle, 1 / high, 1 / low);
}

std::string consistency_line(const Json& document) {
  const Json& needs = document.at("consistency");
  if (!needs.is_object()) return "not known";
  const Json& weakest = needs.at("weakest_model");
  if (!weakest.is_string())
    return fmt::format("no model is enough: {} races; it ran under {}",
                       needs.at("races").get<std::uint64_t>(),
                       document.at("model").is_string() ? document.at("model").get<std::string>() : "none");
  return fmt::format("{} is enough, {}", weakest.get<std::string>(),
                     needs.at("proven").is_boolean() && needs.at("proven").get<bool>()
                         ? "proven from its trace"
                         : "as far as the times in its trace tell");
}

std::string pattern_line(const Json& document) {
  const Json& found = document.at("pattern");
  if (!found.is_object()) return "not known";
  return fmt::format("{} in chunks of {}, by {} processes to {} files", found.value("pattern", "?"),
                     bytes(found.value("chunk_bytes", Json(0))), found.value("processes", 0),
                     found.value("files", 0));
}

std::string sample_line(const Json& document, std::string_view where) {
  const Json& sample = sample_of(document, where);
  if (!sample.contains("io") || !sample.at("io").is_object()) return "no run";
  std::string line = fmt::format(
      "I/O {} of {} a run (medians of {})", seconds(number_at(sample, "/io/median_s")),
      seconds(number_at(sample, "/run/median_s")), static_cast<std::size_t>(number_at(sample, "/io/n")));
  if (where != kOwn)
    line +=
        fmt::format("; {} to start and {} to flush beside it", seconds(number_at(sample, "/start/median_s")),
                    seconds(number_at(sample, "/flush/median_s")));
  return line;
}

std::string results_line(const Json& document) {
  const Json& results = document.at("results");
  const auto compared = results.at("runs_compared").get<std::size_t>();
  const auto different = results.at("runs_different").get<std::size_t>();
  const std::size_t varying = results.at("varying").size();
  std::string line =
      compared == 0 ? "nothing was compared"
      : different == 0
          ? fmt::format("the same bytes in all {} runs on the burst buffer ({} files, {})", compared,
                        results.at("files").get<std::uint64_t>(), bytes(results.at("compared_bytes")))
          : fmt::format("OTHER BYTES in {} of {} runs on the burst buffer: {}", different, compared,
                        results.at("examples").empty() ? "" : results.at("examples")[0].get<std::string>());
  if (varying > 0) line += fmt::format("; {} files differ from run to run anyhow", varying);
  return line;
}

std::string needed_line(const Json& document) {
  std::vector<std::string> parts;
  for (const auto& [where, model] : document.at("io_models").items()) {
    const Json runs = document.at("runs_needed").value(where, Json(nullptr));
    const auto components = model.at("components").get<int>();
    parts.push_back(
        fmt::format("{}: {}{}, {} runs", where, model.at("family").get<std::string>(),
                    components > 1 ? fmt::format(" x {}", components) : "",
                    runs.is_number() ? fmt::to_string(runs.get<std::uint64_t>()) : "no number of"));
  }
  if (parts.empty()) return "no distribution could be fitted";
  return fmt::format("to know its I/O time's median and slow tenth to {:.0f} %: {}",
                     100 * document.at("precision").get<double>(), fmt::join(parts, "; "));
}

std::string interference_line(const Json& document) {
  const Json& told = document.at("interference");
  if (!told.is_object())
    return "not measured for this storage ('weir interfere matrix' does; then --matrix DB)";
  std::vector<std::string> parts;
  for (const Json& one : told.at("beside"))
    parts.push_back(fmt::format("{:.0f} % beside {}", number_at(one, "/loss_percent"),
                                one.at("program").get<std::string>()));
  return parts.empty() ? "the matrix has no pair for its pattern"
                       : fmt::format("loses {}", fmt::join(parts, ", "));
}

// What weir interfere advise says of the program beside each other one.
Json interference_json(const Json& advice) {
  if (!advice.is_object()) return nullptr;
  Json beside = Json::array();
  for (const Json& pair : advice.value("pairs", Json::array())) {
    const auto first = pair.at("first").get<std::string>(), second = pair.at("second").get<std::string>();
    if (first != "program" && second != "program") continue;
    const Json& loss = first == "program" ? pair.at("first_loss") : pair.at("second_loss");
    beside.push_back({{"program", first == "program" ? second : first},
                      {"loss_percent", loss.value("degradation_percent", Json(nullptr))},
                      {"low", loss.value("low", Json(nullptr))},
                      {"high", loss.value("high", Json(nullptr))}});
  }
  return {{"beside", beside}};
}

}  // namespace

Verdict verdict_of(const std::vector<Run>& runs) {
  Verdict made;
  // A file whose bytes differ in the own directory may have any bytes; one that is missing or empty may be so
  // where it was so there.
  const auto kind_of = [](const Difference& one) { return one.of_bytes() ? "bytes" : one.what; };
  std::set<std::string> varying;
  std::set<std::pair<std::string, std::string>> forgiven;
  for (const Run& run : runs)
    if (!run.on_burst())
      for (const Difference& one : run.differences) {
        varying.insert(one.name);
        forgiven.emplace(one.name, kind_of(one));
      }
  for (const Run& run : runs) {
    if (!run.on_burst()) continue;
    ++made.compared;
    bool other = false;
    for (const Difference& one : run.differences) {
      if (forgiven.contains({one.name, kind_of(one)})) continue;
      other = true;
      if (made.examples.size() < kExamples)
        made.examples.push_back(fmt::format("{} {} (run {}, {})", one.name, one.what, run.number, run.where));
    }
    if (other) ++made.different;
  }
  made.same = made.different == 0;
  made.varying.assign(varying.begin(), varying.end());
  return made;
}

Json study_document(const State& state, const Facts& facts) {
  const Json check = document_or_null(state, "check.json"),
             classified = document_or_null(state, "classify.json");
  const Json fit_io = document_or_null(state, "fit-io.json"),
             fit_run = document_or_null(state, "fit-run.json");
  const Json plan = document_or_null(state, "plan.json"), advice = document_or_null(state, "advise.json");
  const Verdict verdict = verdict_of(state.runs);
  Json document = json_document("study");
  document["command"] = facts.command;
  document["directory"] = state.place.empty() ? Json(nullptr) : Json(state.place);
  document["directory_share"] = state.place_share;
  document["outside"] = state.outside;
  document["processes"] = state.processes;
  document["files"] = state.files;
  document["written_bytes"] = state.written_bytes;
  document["traced_s"] = state.traced_s;
  document["consistency"] = nullptr;
  if (check.is_object())
    document["consistency"] = {
        {"weakest_model", check.value("weakest_model", Json(nullptr))},
        {"races", check.value("races", Json(0))},
        {"proven", check.contains("order") ? check["order"].value("proven", Json(nullptr)) : Json(nullptr)}};
  document["model"] = facts.model.empty() ? Json(nullptr) : Json(facts.model);
  document["pattern"] = classified.is_object() ? classified.value("class", Json(nullptr)) : Json(nullptr);
  document["runs_wanted"] = facts.wanted;
  document["budget_s"] = facts.budget_s ? Json(*facts.budget_s) : Json(nullptr);
  document["stopped_by_budget"] = facts.stopped_by_budget;

  std::vector<std::string> kinds;
  for (const Run& run : state.runs)
    if (std::ranges::find(kinds, run.where) == kinds.end()) kinds.push_back(run.where);
  document["samples"] = Json::array();
  for (const std::string& where : kinds) document["samples"].push_back(sample_json(state.runs, where));
  document["gain"] = nullptr;
  if (!facts.model.empty() && kinds.size() > 1)
    document["gain"] = {
        {"io", gain_json(times(state.runs, kOwn, &Run::io_s), times(state.runs, facts.model, &Run::io_s))},
        {"run", gain_json(times(state.runs, kOwn, &Run::run_s), times(state.runs, facts.model, &Run::run_s))},
        {"whole", gain_json(whole_times(state.runs, kOwn), whole_times(state.runs, facts.model))}};
  document["results"] = {{"same", verdict.same},
                         {"runs_compared", verdict.compared},
                         {"runs_different", verdict.different},
                         {"files", state.compared_files},
                         {"compared_bytes", state.compared_bytes},
                         {"varying", verdict.varying},
                         {"examples", verdict.examples}};
  document["io_models"] = best_models(fit_io);
  document["run_models"] = best_models(fit_run);
  document["runs_needed"] = needed_runs(plan);
  document["precision"] = plan.is_object() && plan.contains("options")
                              ? plan["options"].value("precision", Json(nullptr))
                              : Json(nullptr);
  document["interference"] = interference_json(advice);
  document["runs"] = Json::array();
  for (const Run& run : state.runs) {
    Json one = to_json(run);
    one.erase("run");
    document["runs"].push_back(one);
  }
  document["documents"] = facts.documents;
  document["page"] = facts.page.empty() ? Json(nullptr) : Json(facts.page);
  document["notes"] = facts.notes;
  document["summary"] = summary_lines(document);
  if (facts.made.is_object()) document["made"] = facts.made;
  return document;
}

std::vector<std::string> summary_lines(const Json& document) {
  const bool wrote = document.at("directory").is_string();
  const std::string command =
      fmt::format("{}", fmt::join(document.at("command").get<std::vector<std::string>>(), " "));
  const std::string page =
      document.at("page").is_string() ? document.at("page").get<std::string>() : "none was made";
  const auto line = [](std::string_view what, const std::string& says) {
    return fmt::format("{:<13} {}", what, says);
  };
  if (!wrote)
    return {line("program", command), line("writes", "nothing that a burst buffer could hold"),
            line("consistency", consistency_line(document)), line("page", page)};
  const std::string model =
      document.at("model").is_string() ? document.at("model").get<std::string>() : "none";
  const Json& gain = document.at("gain");
  const auto of = [&](const char* what) { return gain.is_object() ? factor(gain.at(what)) : "not known"; };
  return {
      line("program", command),
      line("writes", fmt::format("{} to {} files in {}", bytes(document.at("written_bytes")),
                                 document.at("files").get<std::uint64_t>(),
                                 document.at("directory").get<std::string>())),
      line("consistency", consistency_line(document)),
      line("own directory", sample_line(document, kOwn)),
      line("burst buffer", fmt::format("under {}: {}", model, sample_line(document, model))),
      line("gain", fmt::format("I/O {}, runs {}, with start and flush {}", of("io"), of("run"), of("whole"))),
      line("results", results_line(document)),
      line("distribution",
           document.at("precision").is_number() ? needed_line(document) : "no distribution could be fitted"),
      line("interference", fmt::format("{}; {}", pattern_line(document), interference_line(document))),
      line("page", page),
  };
}

}  // namespace weir::study
