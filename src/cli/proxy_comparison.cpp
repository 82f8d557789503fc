#include "cli/proxy_comparison.hpp"

#include "base/json.hpp"
#include "base/units.hpp"

namespace weir::cli {

int print_comparison(const proxy::Comparison& comparison, bool strict, bool json, Output& out) {
  const bool same = comparison.equal() && (!strict || comparison.outcomes == 0);
  if (json) {
    Json document = json_document("proxy-verify");
    document["same"] = same;
    document["processes"] = comparison.processes;
    document["calls"] = comparison.calls;
    document["same_calls"] = comparison.same;
    document["other_outcomes"] = comparison.outcomes;
    document["differing"] = comparison.differing;
    document["inner_calls"] = {{"original", comparison.inner_original}, {"made", comparison.inner_made}};
    document["differences"] = Json::array();
    for (const proxy::Comparison::Difference& one : comparison.first) {
      Json row;
      row["rank"] = one.rank < 0 ? Json(nullptr) : Json(one.rank);
      row["stream"] = one.stream;
      row["call"] = one.call;
      row["original"] = one.original.empty() ? Json(nullptr) : Json(one.original);
      row["made"] = one.made.empty() ? Json(nullptr) : Json(one.made);
      document["differences"].push_back(row);
    }
    out.json(document);
    return same ? 0 : 1;
  }
  out.print("{}: {} of {} calls of {} process{} are the same\n", same ? "same" : "differs",
            format_count(comparison.same), format_count(comparison.calls), comparison.processes,
            comparison.processes == 1 ? "" : "es");
  if (comparison.outcomes > 0)
    out.print("{} completion calls found other requests complete: that depends on the moment\n",
              format_count(comparison.outcomes));
  if (comparison.inner_original + comparison.inner_made > 0)
    out.print("calls inside those: {} and {}\n", format_count(comparison.inner_original),
              format_count(comparison.inner_made));
  for (const proxy::Comparison::Difference& one : comparison.first) {
    if (one.rank >= 0) out.print("rank {}, ", one.rank);
    out.print("thread {}, call {}:\n  was {}\n  is  {}\n", one.stream, one.call,
              one.original.empty() ? "-" : one.original, one.made.empty() ? "-" : one.made);
  }
  if (comparison.differing > comparison.first.size())
    out.print("{} more\n", format_count(comparison.differing - comparison.first.size()));
  return same ? 0 : 1;
}

}  // namespace weir::cli
