#include "proxy/rules.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace weir::proxy {

// Calls made inside others come by themselves; only numbers in the names they were given are followed.
bool Rules::does_something(std::uint32_t number) const {
  const trace::Signature& signature = plan_->trace->tables().signatures[number];
  return signature.depth == 0 || std::any_of(signature.parts.begin(), signature.parts.end(),
                                             [](const auto& part) { return part.numbers > 0; });
}

std::string Rules::define(const std::string& body) {
  const auto [at, is_new] = by_body_.try_emplace(body, fmt::format("r{}", texts_.size()));
  if (is_new) texts_.push_back(fmt::format("static void {}(Stream& t) {{\n{}}}\n", at->second, body));
  return at->second;
}

// The name of the rule's function; empty if it makes no calls.
std::string Rules::make(const grammar::Grammar& grammar, std::uint32_t rule,
                        const std::vector<std::uint32_t>& signatures, std::vector<std::string>& made) {
  if (!made[rule].empty()) return made[rule] == "-" ? std::string() : made[rule];
  std::string body;
  std::string only;
  std::size_t statements = 0;
  for (const grammar::Run& run : grammar.rule(rule)) {
    std::string name;
    if (grammar::is_rule(run.symbol)) {
      name = make(grammar, grammar::rule_number(run.symbol), signatures, made);
    } else if (does_something(signatures[run.symbol])) {
      used_[signatures[run.symbol]] = true;
      name = fmt::format("s{}", signatures[run.symbol]);
    }
    if (name.empty()) continue;
    ++statements;
    only = run.count == 1 ? name : std::string();
    body += run.count == 1 ? fmt::format("  {}(t);\n", name)
                           : fmt::format("  for (i64 i = 0; i < {}; ++i) {}(t);\n", run.count, name);
  }
  if (statements == 0)
    made[rule] = "-";
  else if (statements == 1 && !only.empty())
    made[rule] = only;
  else
    made[rule] = define(body);
  return made[rule] == "-" ? std::string() : made[rule];
}

std::string Rules::function_of(const StreamPlan& stream, std::uint32_t class_number) {
  used_.resize(plan_->trace->tables().signatures.size());
  const std::vector<std::uint32_t>& signatures = plan_->trace->classes()[class_number];
  std::string body;
  for (const std::uint32_t number : stream.grammars) {
    std::string& known = by_grammar_[{class_number, number}];
    if (known.empty()) {
      const grammar::Grammar grammar = plan_->trace->grammars().distinct(number);
      std::vector<std::string> made(grammar.rule_count());
      known = make(grammar, 0, signatures, made);
      if (known.empty()) known = "-";
    }
    if (known != "-") body += fmt::format("  {}(t);\n", known);
  }
  return define(body);
}

}  // namespace weir::proxy
