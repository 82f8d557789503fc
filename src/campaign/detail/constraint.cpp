#include "campaign/detail/constraint.hpp"

#include <array>
#include <cmath>

#include "base/check.hpp"
#include "campaign/detail/constraint_compiler.hpp"

namespace weir::campaign::detail {

Result<Constraint> Constraint::compile(std::string_view text, const Grid& grid) {
  auto made = ConstraintCompiler(text, grid).run();
  if (!made) return made.error().in(std::string("constraint '").append(text.substr(0, 200)).append("'"));
  return made;
}

Constraint::Answer Constraint::holds(const std::uint32_t* levels) const {
  std::array<double, ConstraintCompiler::kDeepest> stack;
  std::size_t top = 0;  // values on the stack; the compiler has made sure that they fit
  const auto two = [&](auto with) {
    --top;
    stack[top - 1] = static_cast<double>(with(stack[top - 1], stack[top]));
  };
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step step = steps_[i];
    switch (step.op) {
      case Op::constant:
        stack[top++] = constants_[step.argument];
        break;
      case Op::look_up: {
        const Table& table = tables_[step.argument];
        stack[top++] = table.values[levels[table.factor]];
        break;
      }
      case Op::add:
        two([](double a, double b) { return a + b; });
        break;
      case Op::subtract:
        two([](double a, double b) { return a - b; });
        break;
      case Op::multiply:
        two([](double a, double b) { return a * b; });
        break;
      case Op::divide:
        if (stack[top - 1] == 0) return Answer::divided_by_zero;
        two([](double a, double b) { return a / b; });
        break;
      case Op::remainder:
        if (stack[top - 1] == 0) return Answer::divided_by_zero;
        two([](double a, double b) {
          // fmod is slow, and sizes are whole numbers that fit.
          constexpr double kWhole = 0x1p53;
          if (std::abs(a) <= kWhole && std::abs(b) <= kWhole) {
            const auto whole_a = static_cast<std::int64_t>(a), whole_b = static_cast<std::int64_t>(b);
            if (static_cast<double>(whole_a) == a && static_cast<double>(whole_b) == b)
              return static_cast<double>(whole_a % whole_b);
          }
          return std::fmod(a, b);
        });
        break;
      case Op::negate:
        stack[top - 1] = -stack[top - 1];
        break;
      case Op::equal:
        two([](double a, double b) { return a == b; });
        break;
      case Op::unequal:
        two([](double a, double b) { return a != b; });
        break;
      case Op::less:
        two([](double a, double b) { return a < b; });
        break;
      case Op::at_most:
        two([](double a, double b) { return a <= b; });
        break;
      case Op::greater:
        two([](double a, double b) { return a > b; });
        break;
      case Op::at_least:
        two([](double a, double b) { return a >= b; });
        break;
      case Op::invert:
        stack[top - 1] = stack[top - 1] == 0 ? 1 : 0;
        break;
      case Op::skip_if_no:
        if (stack[top - 1] == 0)
          i = step.argument - 1;
        else
          --top;
        break;
      case Op::skip_if_yes:
        if (stack[top - 1] != 0)
          i = step.argument - 1;
        else
          --top;
        break;
    }
  }
  return stack[0] != 0 ? Answer::yes : Answer::no;
}

}  // namespace weir::campaign::detail
