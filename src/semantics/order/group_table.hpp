#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/record.hpp"

namespace weir::semantics {

// The groups of one process by their numbers: which processes they hold, in order. One that was made of an
// unknown one is unknown.
class GroupTable {
 public:
  using Members = std::vector<std::uint32_t>;  // indices of processes

  void put(const trace::Value& group, const Members* members);
  // Null for one that is not known.
  const Members* find(const trace::Value& group) const;
  // MPI_Group_incl and its like, by the name behind "MPI_Group_".
  void make(std::string_view how, std::span<const trace::Value> arguments);

 private:
  std::unordered_map<std::int64_t, Members> known_;
  Members empty_;
};

}  // namespace weir::semantics
