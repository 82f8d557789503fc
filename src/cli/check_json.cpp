#include <array>

#include "base/json.hpp"
#include "cli/check.hpp"

namespace weir::cli {
namespace {

using semantics::Access;
using semantics::PairKind;

constexpr double kSeconds = 1e-9;

Json counts_json(const semantics::ConflictCounts& counts) {
  return {{"waw_s", counts.waw_s}, {"waw_d", counts.waw_d}, {"raw_s", counts.raw_s}, {"raw_d", counts.raw_d}};
}

Json model_or_null(const semantics::Verdict& verdict, std::optional<std::size_t> model) {
  return model ? Json(verdict.models[*model].name) : Json(nullptr);
}

std::string_view name(PairKind kind) {
  constexpr std::array<std::string_view, 5> names = {"waw_s", "waw_d", "raw_s", "raw_d", "race"};
  return names[static_cast<std::size_t>(kind)];
}

Json models_of(const CheckView& view, std::uint32_t models) {
  Json list = Json::array();
  for (std::size_t i = 0; i < view.verdict.models.size(); ++i)
    if ((models >> i & 1) != 0) list.push_back(view.verdict.models[i].name);
  return list;
}

Json process_json(const CheckView& view, std::uint32_t process) {
  const trace::ProcessInfo& about = view.accesses.process(process);
  Json json = {{"process", about.number}, {"rank", about.rank >= 0 ? Json(about.rank) : Json(nullptr)}};
  if (view.accesses.programs.size() > 1)
    json["program"] = &view.accesses.program_of(process) - view.accesses.programs.data();
  return json;
}

Json event_json(const CheckView& view, semantics::Event event) {
  Json json = process_json(view, event.process);
  json["call"] = view.call_text(event);
  return json;
}

Json access_json(const CheckView& view, const semantics::File& file, const Access& access) {
  Json json = event_json(view, file.event(access));
  json["start_s"] = static_cast<double>(access.start_ns) * kSeconds;
  json["offset_bytes"] = access.begin;
  json["length_bytes"] = access.end == Access::kEverAfter ? Json(nullptr) : Json(access.end - access.begin);
  return json;
}

Json file_json(const CheckView& view, const semantics::FileVerdict& one) {
  const semantics::File& file = view.accesses.files[one.file];
  Json json = {{"name", file.name},
               {"weakest_model", model_or_null(view.verdict, one.weakest)},
               {"races", one.findings.races},
               {"accesses", file.accesses.size()},
               {"writers", file.writers},
               {"readers", file.readers},
               {"written_bytes", file.written_bytes},
               {"read_bytes", file.read_bytes},
               {"mapped", file.mapped},
               {"guessed", file.guessed}};
  Json models = Json::array();
  for (std::size_t i = 0; i < view.verdict.models.size(); ++i)
    models.push_back({{"name", view.verdict.models[i].name},
                      {"sufficient", one.findings.sufficient(i, view.verdict.models[i])},
                      {"conflicts", counts_json(one.findings.conflicts[i])}});
  json["models"] = std::move(models);
  Json pairs = Json::array();
  for (const auto& [members, pair] : one.findings.pairs)
    if (pair.models != 0 || pair.races != 0)
      pairs.push_back({{"first", process_json(view, file.members[members.first].process)},
                       {"second", process_json(view, file.members[members.second].process)},
                       {"overlaps", pair.overlaps},
                       {"races", pair.races},
                       {"models", models_of(view, pair.models)}});
  json["pairs"] = std::move(pairs);
  Json examples = Json::array();
  for (const semantics::ConflictPair& pair : one.findings.examples)
    examples.push_back({{"kind", name(pair.kind)},
                        {"models", models_of(view, pair.models)},
                        {"first", access_json(view, file, pair.first)},
                        {"second", access_json(view, file, pair.second)}});
  json["examples"] = std::move(examples);
  return json;
}

Json advice_json(const CheckView& view) {
  Json list = Json::array();
  const auto model = view.advised();
  if (!model) return list;
  constexpr std::array<std::string_view, 5> whats = {"order", "flush", "publish", "reopen", "append"};
  for (const semantics::Advice& advice :
       semantics::advise(view.accesses, view.verdict, *model, view.order, view.top)) {
    const semantics::File& file = view.accesses.files[advice.file];
    const auto place = [&](const std::optional<semantics::Event>& event) {
      return event ? event_json(view, *event) : Json(nullptr);
    };
    list.push_back({{"model", view.verdict.models[*model].name},
                    {"what", whats[static_cast<std::size_t>(advice.what)]},
                    {"file", file.name},
                    {"pairs", advice.pairs},
                    {"after", access_json(view, file, advice.write)},
                    {"before", place(advice.leave)},
                    {"reader_after", place(advice.arrive)},
                    {"reader_before", access_json(view, file, advice.later)},
                    {"text", view.advice_text(advice, *model)}});
  }
  return list;
}

Json order_json(const CheckView& view) {
  Json unmatched = Json::array();
  Json missing = Json::array();
  std::uint64_t count = 0;
  std::int64_t skew = 0;
  for (std::size_t i = 0; i < view.order.orders().size(); ++i) {
    const semantics::Order& one = view.order.orders()[i];
    count += one.unmatched_count();
    skew = std::max(skew, one.skew().margin_ns);
    for (const std::int64_t rank : one.missing_ranks()) missing.push_back(rank);
    for (std::size_t k = 0; k < one.unmatched().size() && k < view.top; ++k) {
      const semantics::Unmatched& call = one.unmatched()[k];
      semantics::Event event = call.event;
      event.process += view.accesses.programs[i].first_process;
      Json json = event_json(view, event);
      json["why"] = call.why;
      unmatched.push_back(std::move(json));
    }
  }
  return {{"proven", view.order.is_proven()},
          {"clock_skew_ns", skew},
          {"missing_ranks", std::move(missing)},
          {"unmatched_count", count},
          {"unmatched", std::move(unmatched)}};
}

Json names_json(const CheckView& view) {
  Json examples = Json::array();
  for (const semantics::NameDependency& one : view.names.examples)
    examples.push_back({{"change", event_json(view, one.change.event)},
                        {"use", event_json(view, one.use.event)},
                        {"race", one.race}});
  return {{"dependencies", view.names.dependencies},
          {"races", view.names.races},
          {"examples", std::move(examples)}};
}

}  // namespace

Json check_json(const CheckView& view) {
  const semantics::Verdict& verdict = view.verdict;
  Json document = json_document("check");
  document["weakest_model"] = model_or_null(verdict, verdict.weakest);
  document["races"] = verdict.races;
  document["asked"] = nullptr;
  if (view.asked)
    document["asked"] = {{"name", view.asked_as},
                         {"model", verdict.models[*view.asked].name},
                         {"sufficient", view.suffices(*view.asked)}};
  document["counting"] = view.all_pairs ? "pairs" : "accesses";
  Json models = Json::array();
  for (std::size_t i = 0; i < verdict.models.size(); ++i)
    models.push_back({{"name", verdict.models[i].name},
                      {"sufficient", view.suffices(i)},
                      {"conflicts", counts_json(verdict.conflicts[i])}});
  document["models"] = std::move(models);
  document["order"] = order_json(view);
  document["accesses"] = view.accesses.access_count;
  Json files = Json::array();
  for (const semantics::FileVerdict* const one : view.shared_files()) files.push_back(file_json(view, *one));
  document["files"] = std::move(files);
  document["advice"] = advice_json(view);
  document["metadata"] = names_json(view);
  document["notes"] = view.notes();
  return document;
}

}  // namespace weir::cli
