#pragma once

#include <compare>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::host {

// Something wrong with a table, printed as compilers do: "calls/posix.calls:12: unknown role 'offst'".
struct Problem {
  std::string file;
  int line = 0;
  std::string text;

  std::string to_string() const;
  auto operator<=>(const Problem&) const = default;
};

using Problems = std::vector<Problem>;

// "; did you mean 'offset'" when one of the words is at most two typing errors away, else nothing.
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace weir::host
