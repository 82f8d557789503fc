#include "campaign/detail/constraint_compiler.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "campaign/detail/level.hpp"

namespace weir::campaign::detail {
namespace {

constexpr std::size_t kLongest = 4096;

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Error ConstraintCompiler::wrong(std::size_t at, std::string_view message) const {
  return Error{Errc::bad_data, fmt::format("at character {}: {}", at + 1, message)};
}

Result<void> ConstraintCompiler::advance() {
  while (next_ < text_.size() && (text_[next_] == ' ' || text_[next_] == '\t')) ++next_;
  const std::size_t begin = next_;
  if (begin == text_.size()) {
    token_ = {Token::Kind::end, {}, begin};
    return {};
  }
  const char c = text_[begin];
  Token::Kind kind = Token::Kind::sign;
  if (begins_name(c)) {
    kind = Token::Kind::name;
    while (next_ < text_.size() && (begins_name(text_[next_]) || is_digit(text_[next_]))) ++next_;
  } else if (is_digit(c)) {
    kind = Token::Kind::number;
    while (next_ < text_.size() &&
           (begins_name(text_[next_]) || is_digit(text_[next_]) || text_[next_] == '.'))
      ++next_;
  } else if (c == '"' || c == '\'') {
    const std::size_t end = text_.find(c, begin + 1);
    if (end == std::string_view::npos) return wrong(begin, "a quoted text has no end");
    next_ = end + 1;
    token_ = {Token::Kind::text, text_.substr(begin + 1, end - begin - 1), begin};
    return {};
  } else {
    constexpr std::array<std::string_view, 4> kTwo = {"<=", ">=", "==", "!="};
    const std::string_view two = text_.substr(begin, 2);
    if (std::find(kTwo.begin(), kTwo.end(), two) != kTwo.end())
      next_ += 2;
    else if (std::string_view("+-*/%<>()").find(c) != std::string_view::npos)
      next_ += 1;
    else if (c == '=')
      return wrong(begin, "'=' compares nothing; write '=='");
    else if (c == '&' || c == '|' || c == '!')
      return wrong(begin, fmt::format("'{}' is not known; write and, or, not", c));
    else
      return wrong(begin, fmt::format("'{}' is not known", c));
  }
  token_ = {kind, text_.substr(begin, next_ - begin), begin};
  return {};
}

void ConstraintCompiler::step(Constraint::Op op, int change) {
  made_.steps_.push_back({op});
  on_stack_ += change;
  most_on_stack_ = std::max(most_on_stack_, on_stack_);
}

void ConstraintCompiler::push_constant(double value) {
  step(Constraint::Op::constant, 1);
  made_.steps_.back().argument = static_cast<std::uint32_t>(made_.constants_.size());
  made_.constants_.push_back(value);
}

void ConstraintCompiler::push_table(std::uint32_t factor, std::vector<double> values) {
  step(Constraint::Op::look_up, 1);
  made_.steps_.back().argument = static_cast<std::uint32_t>(made_.tables_.size());
  made_.tables_.push_back({factor, std::move(values)});
}

// Turns a name or text that stands for itself into a step that pushes its number.
Result<void> ConstraintCompiler::push_number(Operand& operand) {
  if (operand.factor) {
    const Factor& factor = grid_.factors[*operand.factor];
    std::vector<double> values;
    for (const Level& level : factor.levels) {
      if (!level.number)
        return wrong(operand.at,
                     fmt::format("level '{}' of factor '{}' is not a number", level.text, factor.name));
      values.push_back(*level.number);
    }
    push_table(*operand.factor, std::move(values));
  } else if (operand.level) {
    if (!operand.level->number)
      return wrong(operand.at, fmt::format("'{}' is not a number", operand.level->text));
    push_constant(*operand.level->number);
  } else if (operand.type != Type::number) {
    return wrong(operand.at, "a condition stands where a number is needed");
  }
  operand = {.type = Type::number, .factor = {}, .level = {}, .at = operand.at};
  return {};
}

double ConstraintCompiler::number_of_text(const Level& level) {
  return texts_.try_emplace(plain(level), static_cast<double>(texts_.size())).first->second;
}

void ConstraintCompiler::push_text(const Operand& operand) {
  if (!operand.factor) return push_constant(number_of_text(*operand.level));
  std::vector<double> values;
  for (const Level& level : grid_.factors[*operand.factor].levels) values.push_back(number_of_text(level));
  push_table(*operand.factor, std::move(values));
}

bool ConstraintCompiler::all_numbers(const Operand& operand) const {
  if (operand.level) return operand.level->number.has_value();
  if (!operand.factor) return true;
  const auto& levels = grid_.factors[*operand.factor].levels;
  return std::all_of(levels.begin(), levels.end(),
                     [](const Level& level) { return level.number.has_value(); });
}

Result<ConstraintCompiler::Operand> ConstraintCompiler::single() {
  const Token here = token_;
  if (sign("(")) {
    if (++nested_ > kDeepest / 2) return wrong(here.at, "too deeply nested");
    if (auto moved = advance(); !moved) return moved.error();
    auto inside = any();
    if (!inside) return inside;
    if (!sign(")")) return wrong(token_.at, "a ')' is missing");
    --nested_;
    if (auto moved = advance(); !moved) return moved.error();
    return inside;
  }
  Operand operand;
  operand.at = here.at;
  switch (here.kind) {
    case Token::Kind::number: {
      const auto number = number_in(here.text);
      if (!number) return wrong(here.at, fmt::format("'{}' is not a number", here.text));
      operand.level = Level{std::string(here.text), number};
      break;
    }
    case Token::Kind::text:
      operand.level = level_of(here.text);
      break;
    case Token::Kind::name: {
      std::vector<std::string> known;
      for (std::uint32_t i = 0; i < grid_.factors.size(); ++i) {
        if (grid_.factors[i].name == here.text) operand.factor = i;
        known.push_back(grid_.factors[i].name);
      }
      for (const auto& [field, value] : grid_.fixed) {
        if (field == here.text) operand.level = level_of(value);
        known.push_back(field);
      }
      if (!operand.factor && !operand.level) {
        const auto meant = nearest(here.text, known);
        return wrong(here.at, fmt::format("no factor '{}'", here.text))
            .with_remedy(meant ? fmt::format("did you mean '{}'?", *meant)
                               : "names in constraints are factors or fixed fields; texts stand in quotes");
      }
      break;
    }
    case Token::Kind::end:
      return wrong(here.at, "something is missing at the end");
    case Token::Kind::sign:
      return wrong(here.at, fmt::format("'{}' stands where a value is needed", here.text));
  }
  if (auto moved = advance(); !moved) return moved.error();
  return operand;
}

Result<ConstraintCompiler::Operand> ConstraintCompiler::negated() {
  bool minus = false;
  const std::size_t at = token_.at;
  bool any_sign = false;
  while (sign("-")) {
    minus = !minus;
    any_sign = true;
    if (auto moved = advance(); !moved) return moved.error();
  }
  auto operand = single();
  if (!operand || !any_sign) return operand;
  operand->at = at;
  if (auto pushed = push_number(*operand); !pushed) return pushed.error();
  if (minus) step(Constraint::Op::negate, 0);
  return operand;
}

Result<ConstraintCompiler::Operand> ConstraintCompiler::product() {
  auto left = negated();
  while (left && (sign("*") || sign("/") || sign("%"))) {
    const char c = token_.text[0];
    if (auto pushed = push_number(*left); !pushed) return pushed.error();
    if (auto moved = advance(); !moved) return moved.error();
    auto right = negated();
    if (!right) return right;
    if (auto pushed = push_number(*right); !pushed) return pushed.error();
    step(c == '*'   ? Constraint::Op::multiply
         : c == '/' ? Constraint::Op::divide
                    : Constraint::Op::remainder,
         -1);
  }
  return left;
}

Result<ConstraintCompiler::Operand> ConstraintCompiler::sum() {
  auto left = product();
  while (left && (sign("+") || sign("-"))) {
    const bool plus = sign("+");
    if (auto pushed = push_number(*left); !pushed) return pushed.error();
    if (auto moved = advance(); !moved) return moved.error();
    auto right = product();
    if (!right) return right;
    if (auto pushed = push_number(*right); !pushed) return pushed.error();
    step(plus ? Constraint::Op::add : Constraint::Op::subtract, -1);
  }
  return left;
}

Result<ConstraintCompiler::Operand> ConstraintCompiler::compared() {
  using Op = Constraint::Op;
  constexpr std::array<std::pair<std::string_view, Op>, 6> kComparisons = {{{"==", Op::equal},
                                                                            {"!=", Op::unequal},
                                                                            {"<", Op::less},
                                                                            {"<=", Op::at_most},
                                                                            {">", Op::greater},
                                                                            {">=", Op::at_least}}};
  constexpr std::array<std::size_t, 6> kMirrored = {0, 1, 4, 5, 2, 3};
  const auto index = [&](const auto* entry) { return static_cast<std::size_t>(entry - kComparisons.data()); };
  const auto found = [&] {
    return std::find_if(kComparisons.begin(), kComparisons.end(),
                        [&](const auto& entry) { return sign(entry.first); });
  };
  auto left = sum();
  if (!left) return left;
  const auto* comparison = found();
  if (comparison == kComparisons.end()) return left;
  const std::size_t at = token_.at;
  if (auto moved = advance(); !moved) return moved.error();
  auto right = sum();
  if (!right) return right;
  if (left->type == Type::truth || right->type == Type::truth)
    return wrong(at, "conditions are joined by and, or, not");
  if (found() != kComparisons.end())
    return wrong(token_.at, "comparisons are not chained; join them with and");
  const bool for_texts = comparison->second == Op::equal || comparison->second == Op::unequal;
  if (for_texts && left->waiting() && right->waiting() && !(all_numbers(*left) && all_numbers(*right))) {
    push_text(*left);
    push_text(*right);
  } else {
    // A left side that waits comes to stand above a right side that was computed: the mirrored comparison.
    if (left->waiting() && !right->waiting()) comparison = &kComparisons[kMirrored[index(comparison)]];
    if (auto pushed = push_number(*left); !pushed) return pushed.error();
    if (auto pushed = push_number(*right); !pushed) return pushed.error();
  }
  step(comparison->second, -1);
  return Operand{.type = Type::truth, .factor = {}, .level = {}, .at = at};
}

Result<ConstraintCompiler::Operand> ConstraintCompiler::inverted() {
  bool invert = false;
  bool any_word = false;
  const std::size_t at = token_.at;
  while (word("not")) {
    invert = !invert;
    any_word = true;
    if (auto moved = advance(); !moved) return moved.error();
  }
  auto operand = compared();
  if (!operand || !any_word) return operand;
  if (operand->type != Type::truth) return wrong(at, "'not' needs a condition");
  if (invert) step(Constraint::Op::invert, 0);
  return operand;
}

Result<ConstraintCompiler::Operand> ConstraintCompiler::all() {
  auto left = inverted();
  while (left && word("and")) {
    const std::size_t at = token_.at;
    if (left->type != Type::truth) return wrong(at, "'and' joins conditions");
    if (auto moved = advance(); !moved) return moved.error();
    const std::size_t jump = made_.steps_.size();
    step(Constraint::Op::skip_if_no, -1);
    auto right = inverted();
    if (!right) return right;
    if (right->type != Type::truth) return wrong(at, "'and' joins conditions");
    made_.steps_[jump].argument = static_cast<std::uint32_t>(made_.steps_.size());
  }
  return left;
}

Result<ConstraintCompiler::Operand> ConstraintCompiler::any() {
  auto left = all();
  while (left && word("or")) {
    const std::size_t at = token_.at;
    if (left->type != Type::truth) return wrong(at, "'or' joins conditions");
    if (auto moved = advance(); !moved) return moved.error();
    const std::size_t jump = made_.steps_.size();
    step(Constraint::Op::skip_if_yes, -1);
    auto right = all();
    if (!right) return right;
    if (right->type != Type::truth) return wrong(at, "'or' joins conditions");
    made_.steps_[jump].argument = static_cast<std::uint32_t>(made_.steps_.size());
  }
  return left;
}

Result<Constraint> ConstraintCompiler::run() {
  if (text_.size() > kLongest)
    return Error{Errc::too_big, fmt::format("longer than {} characters", kLongest)};
  if (auto moved = advance(); !moved) return moved.error();
  auto whole = any();
  if (!whole) return whole.error();
  if (token_.kind != Token::Kind::end)
    return wrong(token_.at, fmt::format("'{}' is not expected here", token_.text));
  if (whole->type != Type::truth) return wrong(0, "compares nothing");
  if (most_on_stack_ >= static_cast<int>(kDeepest)) return wrong(0, "too deeply nested");
  made_.text_ = std::string(text_);
  for (const auto& table : made_.tables_) made_.factors_.push_back(table.factor);
  std::sort(made_.factors_.begin(), made_.factors_.end());
  made_.factors_.erase(std::unique(made_.factors_.begin(), made_.factors_.end()), made_.factors_.end());
  return std::move(made_);
}

}  // namespace weir::campaign::detail
