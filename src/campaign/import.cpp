#include "campaign/import.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "campaign/detail/foreign.hpp"
#include "campaign/detail/level.hpp"

namespace weir::campaign {

namespace detail {

std::optional<double> number_at(const Json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const auto value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string text_at(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::string> level_text(const Json& value) {
  if (value.is_string()) return plain(level_of(value.get<std::string>()));
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number()) return plain(value.get<double>());
  return std::nullopt;
}

}  // namespace detail

Result<ForeignResults> parse_foreign(std::string_view text, const std::string& machine) {
  // fio writes warnings to the same place, before the JSON.
  std::size_t begin = text.starts_with('{') ? 0 : text.find("\n{");
  if (begin == std::string_view::npos) begin = 0;
  const auto document = parse_json(text.substr(begin));
  if (!document) return document.error().with_remedy("import the JSON output of fio or IOR, whole");
  if (document->is_object() && document->contains("fio version"))
    return detail::parse_fio(*document, machine);
  if (document->is_object() && document->contains("tests")) return detail::parse_ior(*document, machine);
  return Error{Errc::bad_data, "is JSON, but neither fio's nor IOR's output"}.with_remedy(
      "run fio with --output-format=json, or IOR with -O summaryFormat=JSON");
}

Result<Imported> import_results(Store& store, const std::string& name,
                                const std::vector<std::filesystem::path>& files, const std::string& machine) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 28U;
  CampaignFacts facts;
  facts.name = name;
  facts.kind.clear();
  Json sources = Json::array();
  std::vector<ForeignRun> runs;
  for (const std::filesystem::path& file : files) {
    const auto text = read_text(file, kLargest);
    if (!text) return text.error();
    auto results = parse_foreign(*text, machine);
    if (!results) return results.error().in(file.string());
    if (!facts.kind.empty() && facts.kind != results->kind)
      return Error{Errc::usage,
                   fmt::format("is of {}, the files before it are of {}", results->kind, facts.kind)}
          .with_remedy("import them one kind at a time")
          .in(file.string());
    facts.kind = results->kind;
    std::move(results->runs.begin(), results->runs.end(), std::back_inserter(runs));
    sources.push_back(file.filename().string());
  }
  if (runs.empty()) return Error{Errc::usage, "there is nothing to import"};
  facts.environment = Json{{"imported_from", std::move(sources)}};

  std::map<std::string, std::size_t> columns;
  for (const ForeignRun& run : runs)
    for (const auto& [option, value] : run.options)
      if (columns.try_emplace(option, facts.factors.size()).second) facts.factors.push_back(option);
  std::map<Levels, std::int64_t> numbers;
  std::vector<Levels> configurations;
  std::map<std::pair<std::string, std::int64_t>, std::uint32_t> repeats;
  std::vector<RunRow> rows;
  for (ForeignRun& run : runs) {
    Levels levels(facts.factors.size());
    for (auto& [option, value] : run.options) levels[columns.at(option)] = std::move(value);
    const auto [at, made] = numbers.try_emplace(levels, static_cast<std::int64_t>(configurations.size()));
    if (made) configurations.push_back(std::move(levels));
    run.row.configuration = at->second;
    run.row.repeat = repeats[{run.row.machine, at->second}]++;
    rows.push_back(std::move(run.row));
  }
  const auto campaign = store.add_campaign(facts, configurations);
  if (!campaign) return campaign.error();
  if (auto added = store.add_runs(*campaign, rows); !added) return added.error();
  return Imported{*campaign, configurations.size(), rows.size()};
}

}  // namespace weir::campaign
