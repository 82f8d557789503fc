#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/grid.hpp"

namespace weir::campaign::detail {

// A condition on the levels of a configuration, compiled once and asked often.
//
//   condition := condition 'or' condition | condition 'and' condition | 'not' condition | value compared
//   value value     := value ('+' | '-' | '*' | '/' | '%') value | '-' value | number | name | "text" | '('
//   ... ')'
//
// Names are factors or fixed fields; numbers may have units (64k). Texts are compared with == and != only.
class Constraint {
 public:
  static Result<Constraint> compile(std::string_view text, const Grid& grid);

  enum class Answer : std::uint8_t { no, yes, divided_by_zero };
  // `levels` by factor; only those of factors() are looked at.
  Answer holds(const std::uint32_t* levels) const;

  const std::string& text() const { return text_; }
  const std::vector<std::uint32_t>& factors() const { return factors_; }  // that it reads, ascending

 private:
  friend class ConstraintCompiler;

  enum class Op : std::uint8_t {
    constant,  // push constants_[argument]
    look_up,   // push tables_[argument] at the level of its factor
    add,
    subtract,
    multiply,
    divide,
    remainder,
    negate,
    equal,
    unequal,
    less,
    at_most,
    greater,
    at_least,
    invert,
    skip_if_no,   // leave 0 and jump to argument, or drop it
    skip_if_yes,  // leave 1 and jump to argument, or drop it
  };
  struct Step {
    Op op;
    std::uint32_t argument = 0;
  };
  struct Table {
    std::uint32_t factor;
    std::vector<double> values;  // by level
  };

  std::string text_;
  std::vector<Step> steps_;
  std::vector<double> constants_;
  std::vector<Table> tables_;
  std::vector<std::uint32_t> factors_;
};

}  // namespace weir::campaign::detail
