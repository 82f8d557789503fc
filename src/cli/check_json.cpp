#include "base/json.hpp"
#include "cli/check.hpp"

namespace weir::cli {
namespace {

Json counts_json(const semantics::ConflictCounts& counts) {
  return {{"waw_s", counts.waw_s}, {"waw_d", counts.waw_d}, {"raw_s", counts.raw_s}, {"raw_d", counts.raw_d}};
}

Json model_or_null(const semantics::Verdict& verdict, std::optional<std::size_t> model) {
  return model ? Json(verdict.models[*model].name) : Json(nullptr);
}

}  // namespace

Json check_json(const CheckView& view) {
  const semantics::Verdict& verdict = view.verdict;
  Json document = json_document("check");
  document["weakest_model"] = model_or_null(verdict, verdict.weakest);
  document["races"] = verdict.races;
  Json models = Json::array();
  for (std::size_t i = 0; i < verdict.models.size(); ++i)
    models.push_back({{"name", verdict.models[i].name},
                      {"sufficient", static_cast<bool>(verdict.sufficient[i])},
                      {"conflicts", counts_json(verdict.conflicts[i])}});
  document["models"] = std::move(models);
  return document;
}

}  // namespace weir::cli
