#include <fmt/format.h>

#include "base/table.hpp"
#include "base/units.hpp"
#include "cli/check.hpp"

namespace weir::cli {
namespace {

using semantics::ConflictCounts;

std::string count_or_dash(std::uint64_t count) { return count == 0 ? "-" : format_count(count); }

void print_models(const CheckView& view, Output& out) {
  Table table({{"model"},
               {"sufficient"},
               {"WAW-S", Table::right},
               {"WAW-D", Table::right},
               {"RAW-S", Table::right},
               {"RAW-D", Table::right},
               {"what it promises", Table::shrinks}});
  for (std::size_t i = 0; i < view.verdict.models.size(); ++i) {
    if (i == view.verdict.ordered) table.rule();
    const consistency::Model& model = view.verdict.models[i];
    const ConflictCounts& counts = view.verdict.conflicts[i];
    table.row({i < view.verdict.ordered ? model.name : view.asked_as,
               view.verdict.sufficient[i] ? "yes" : "no", count_or_dash(counts.waw_s),
               count_or_dash(counts.waw_d), count_or_dash(counts.raw_s), count_or_dash(counts.raw_d),
               model.summary});
  }
  out.table(table);
}

}  // namespace

void print_check(const CheckView& view, Output& out) {
  const auto& verdict = view.verdict;
  if (verdict.races > 0)
    out.print("weakest model  none: {} races\n", format_count(verdict.races));
  else
    out.print("weakest model  {}\n", verdict.weakest ? verdict.models[*verdict.weakest].name : "none");
  out.write("\n");
  print_models(view, out);
}

}  // namespace weir::cli
