#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/replay.hpp"

namespace weir::trace::detail {

// The tables of a process while it is merged: what several of its lanes have is kept once.
class TableBuilder {
 public:
  const Tables& tables() const { return tables_; }
  Call call_of(std::uint32_t function) const { return calls_[function]; }

  std::uint32_t text(std::string_view text);
  Result<std::uint32_t> name_template(std::string_view text);
  // A signature of a lane, whose texts and templates have these numbers here.
  Result<std::uint32_t> signature(std::span<const std::uint64_t> words, std::span<const std::uint32_t> texts,
                                  std::span<const std::uint32_t> templates);

 private:
  std::uint32_t function(std::uint32_t call);

  Tables tables_;
  std::vector<Call> calls_;  // by the number of the function
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::unordered_map<std::string, std::uint32_t> templates_;
  std::unordered_map<std::string, std::uint32_t> signatures_;
  std::unordered_map<std::uint32_t, std::uint32_t> functions_;
};

}  // namespace weir::trace::detail
