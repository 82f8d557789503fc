#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "semantics/order/activity.hpp"
#include "semantics/order/edges.hpp"

namespace weir::semantics {

// A post that found no partner.
struct Alone {
  std::uint32_t chain = 0;
  std::uint32_t point = 0;
  std::uint16_t function = 0;
  const char* why = "";
};

// Finds the send of every receive: messages of one sender to one receiver with one tag in one communicator
// are received in the order in which they were sent, by receives in the order in which they were posted
// (MPI 3.1, 3.5). An order goes from the start of the send to where the receive is complete, and for a
// synchronous send back to where that is. `chain_base` says which number the first thread of a process has.
void match_messages(std::span<const ProcessActivity> processes, std::span<const std::uint32_t> chain_base,
                    unsigned threads, Edges& edges, std::vector<Alone>& alone);

}  // namespace weir::semantics
