#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/detail/constraint.hpp"

namespace weir::campaign::detail {

// Recursive descent from text to the steps of a Constraint. Types are settled here: every value is a number
// or a truth, and texts become numbers (equal ones for equal texts) while compiling.
class ConstraintCompiler {
 public:
  static constexpr std::size_t kDeepest = 64;  // of nesting, and so of the stack

  ConstraintCompiler(std::string_view text, const Grid& grid) : text_(text), grid_(grid) {}
  Result<Constraint> run();

 private:
  enum class Type { number, truth };
  struct Operand {
    Type type = Type::number;
    // A plain name or text waits to become a step: which one depends on what it is compared with.
    std::optional<std::uint32_t> factor;
    std::optional<Level> level;
    std::size_t at = 0;
    bool waiting() const { return factor || level; }
  };
  struct Token {
    enum class Kind { end, number, name, text, sign } kind = Kind::end;
    std::string_view text;
    std::size_t at = 0;
  };

  Result<void> advance();
  bool sign(std::string_view text) const { return token_.kind == Token::Kind::sign && token_.text == text; }
  bool word(std::string_view text) const { return token_.kind == Token::Kind::name && token_.text == text; }

  Result<Operand> any();
  Result<Operand> all();
  Result<Operand> inverted();
  Result<Operand> compared();
  Result<Operand> sum();
  Result<Operand> product();
  Result<Operand> negated();
  Result<Operand> single();

  Result<void> push_number(Operand& operand);
  void push_text(const Operand& operand);
  bool all_numbers(const Operand& operand) const;
  void push_constant(double value);
  void push_table(std::uint32_t factor, std::vector<double> values);
  void step(Constraint::Op op, int change);
  Error wrong(std::size_t at, std::string_view message) const;
  double number_of_text(const Level& level);

  std::string_view text_;
  const Grid& grid_;
  std::size_t next_ = 0;
  Token token_;
  std::size_t nested_ = 0;
  int on_stack_ = 0;
  int most_on_stack_ = 0;
  std::map<std::string, double> texts_;
  Constraint made_;
};

}  // namespace weir::campaign::detail
