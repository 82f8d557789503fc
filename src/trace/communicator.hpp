#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "trace/live.hpp"

namespace weir::trace {

// An MPI communicator that was made while the program ran; all its members know it by the same id. Others may
// have the same id: the rows of a grid, which have no member in common.
struct Communicator {
  std::uint32_t id = 0;
  std::uint32_t flags = 0;             // live::kInterCommunicator
  std::vector<live::RankRun> members;  // ranks in the world
  std::vector<live::RankRun> remote;   // of an inter-communicator: the other group

  bool is_inter() const { return (flags & live::kInterCommunicator) != 0; }
  std::uint64_t size() const;
  // The rank of a member, given its rank in the world.
  std::optional<std::int64_t> rank_of(std::int64_t world_rank) const;

  friend bool operator==(const Communicator&, const Communicator&) = default;
};

// As a recorder defines it: the communicator, and the recording process's rank in it.
struct OwnCommunicator {
  Communicator communicator;
  std::int64_t own_rank = 0;
};
Result<OwnCommunicator> parse_communicator(std::string_view payload);

void put_communicators(ByteWriter& out, const std::vector<Communicator>& communicators);
Result<std::vector<Communicator>> take_communicators(ByteReader& in);

}  // namespace weir::trace
