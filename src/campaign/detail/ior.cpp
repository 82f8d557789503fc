#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/format.h>

#include "campaign/detail/foreign.hpp"

namespace weir::campaign::detail {
namespace {

constexpr double kMiB = 0x1p20;

// Parameters that name files and tests, or tell what is in other places.
bool is_factor(std::string_view parameter) {
  constexpr std::array<std::string_view, 10> kOthers = {
      "testID",  "refnum",  "testFileName", "hintsFileName", "platform",
      "options", "verbose", "repetitions",  "keepFile",      "setTimeStampSignature/incompressibleSeed"};
  return std::find(kOthers.begin(), kOthers.end(), parameter) == kOthers.end();
}

// "Thu Mar 30 16:09:19 2023", local time as IOR prints it; 0 where it is something else.
std::int64_t time_of(const std::string& text) {
  std::tm parts{};
  const char* const end = ::strptime(text.c_str(), "%a %b %d %H:%M:%S %Y", &parts);
  if (end == nullptr) return 0;
  parts.tm_isdst = -1;
  const std::time_t time = std::mktime(&parts);
  return time > 0 ? static_cast<std::int64_t>(time) * 1'000'000'000 : 0;
}

// "Linux node038": the second word.
std::string machine_of(const Json& document, const std::string& otherwise) {
  const std::string text = text_at(document, "Machine");
  const std::size_t blank = text.find(' ');
  if (blank == std::string::npos) return otherwise;
  const std::string name = text.substr(blank + 1, text.find(' ', blank + 1) - blank - 1);
  return name.empty() ? otherwise : name;
}

// Repetitions are lists within the list of results.
void flatten(const Json& results, std::vector<const Json*>& into, int depth = 0) {
  constexpr int kDeepest = 4;
  if (!results.is_array() || depth > kDeepest) return;
  for (const Json& one : results)
    if (one.is_array())
      flatten(one, into, depth + 1);
    else
      into.push_back(&one);
}

Result<ForeignRun> run_of(const Json& result) {
  const std::string access = text_at(result, "access");
  const auto rate = number_at(result, "bwMiB");
  if (access.empty() || !rate || *rate < 0) return Error{Errc::bad_data, "lacks 'access' or 'bwMiB'"};
  ForeignRun run;
  run.options.emplace_back("operation", access);
  run.row.throughput = *rate * kMiB;
  run.row.duration_s = number_at(result, "totalTime");
  // IOR's bandwidth is the bytes of all tasks by this time.
  if (run.row.duration_s) run.row.bytes = std::round(*rate * kMiB * *run.row.duration_s);
  if (*rate == 0) {
    run.row.state = RunState::failed;
    run.row.reason = "IOR moved no bytes";
  }
  Json notes = Json::object();
  for (const auto& [key, value] : result.items())
    if (key != "access" && (value.is_number() || value.is_string())) notes[key] = value;
  run.row.notes = std::move(notes);
  return run;
}

Result<void> append_test(const Json& test, const std::string& machine, std::vector<ForeignRun>& runs) {
  if (!test.is_object()) return Error{Errc::bad_data, "is no table"};
  const Json none = Json::object();
  const Json& parameters = test.contains("Parameters") ? test["Parameters"] : none;
  const Json& options = test.contains("Options") ? test["Options"] : none;
  std::vector<std::pair<std::string, std::string>> levels;
  if (options.is_object() && options.contains("tasks"))
    if (auto tasks = level_text(options["tasks"])) levels.emplace_back("tasks", *std::move(tasks));
  if (parameters.is_object())
    for (const auto& [key, value] : parameters.items())
      if (auto level = level_text(value); level && is_factor(key))
        levels.emplace_back(key, *std::move(level));

  std::vector<const Json*> results;
  if (test.contains("Results")) flatten(test["Results"], results);
  if (results.empty() && options.is_object() && options.contains("Results"))
    flatten(options["Results"], results);
  if (results.empty()) return Error{Errc::bad_data, "has no results; IOR may have ended early"};
  std::int64_t started = time_of(text_at(test, "StartTime"));
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto run = results[i]->is_object() ? run_of(*results[i])
                                       : Result<ForeignRun>(Error{Errc::bad_data, "is no table"});
    if (!run) return run.error().in(fmt::format("result {}", i + 1));
    run->options.insert(run->options.end(), levels.begin(), levels.end());
    run->row.machine = machine;
    run->row.started_ns = started;
    // IOR tells when a test began; its results follow each other.
    constexpr double kLongest = 1e9;
    started += std::llround(std::clamp(run->row.duration_s.value_or(0), 0.0, kLongest) * 1e9);
    runs.push_back(*std::move(run));
  }
  return {};
}

}  // namespace

Result<ForeignResults> parse_ior(const Json& document, const std::string& machine) {
  const Json& tests = document["tests"];
  if (!tests.is_array() || tests.empty()) return Error{Errc::bad_data, "IOR's output has no tests"};
  ForeignResults results{"ior", {}};
  const std::string host = machine_of(document, machine);
  for (std::size_t i = 0; i < tests.size(); ++i)
    if (auto added = append_test(tests[i], host, results.runs); !added)
      return added.error().in(fmt::format("test {}", i + 1));
  return results;
}

}  // namespace weir::campaign::detail
