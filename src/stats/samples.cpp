#include "stats/samples.hpp"

#include <fmt/format.h>

#include "base/check.hpp"

namespace weir::stats {

std::string label(const Group& group) {
  if (group.key.empty()) return "all";
  std::string text;
  for (const KeyPart& part : group.key)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", part.column, part.value);
  return text;
}

std::string Problem::message() const {
  const std::string where =
      column.empty() ? fmt::format("line {}", line) : fmt::format("line {}, column '{}'", line, column);
  switch (kind) {
    case ProblemKind::text:
      return fmt::format("{}: '{}' is not a number", where, text);
    case ProblemKind::nan:
      return fmt::format("{}: '{}' is not a finite number", where, text);
    case ProblemKind::infinite:
      return fmt::format("{}: '{}' is infinite or beyond double precision", where, text);
    case ProblemKind::missing:
      return fmt::format("{}: no value", where);
    case ProblemKind::fields:
    case ProblemKind::json:
      return fmt::format("{}: {}", where, text);
  }
  WEIR_CHECK(false, "no such ProblemKind");
}

}  // namespace weir::stats
