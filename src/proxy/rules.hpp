#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "grammar/grammar.hpp"
#include "proxy/plan.hpp"

namespace weir::proxy {

// The rules of grammars as functions of C++. Equal rules are one function, whichever grammars they come from;
// rules without calls of the program itself are none.
class Rules {
 public:
  explicit Rules(const Plan& plan) : plan_(&plan) {}

  // The function that makes all calls of a stream.
  std::string function_of(const StreamPlan& stream, std::uint32_t class_number);

  const std::vector<std::string>& texts() const { return texts_; }  // in an order in which they compile
  const std::vector<bool>& used() const { return used_; }           // signatures, by their number

 private:
  std::string make(const grammar::Grammar& grammar, std::uint32_t rule,
                   const std::vector<std::uint32_t>& signatures, std::vector<std::string>& made);
  std::string define(const std::string& body);
  bool does_something(std::uint32_t signature) const;

  const Plan* plan_;
  std::unordered_map<std::string, std::string> by_body_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> by_grammar_;  // class and distinct grammar
  std::vector<std::string> texts_;
  std::vector<bool> used_;
};

}  // namespace weir::proxy
