#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <sys/types.h>

#include "base/unique_fd.hpp"
#include "transport/detail/layout.hpp"
#include "transport/detail/memory.hpp"
#include "transport/detail/placement.hpp"
#include "transport/host.hpp"

namespace weir::transport::detail {

// One client as its host sees it: the memory they share and, for each worker, what goes on in the slots. A
// worker touches only its own row, and believes nothing that it reads from the memory: a client that breaks
// the rules is condemned, which harms nobody else.
class ClientLink : public std::enable_shared_from_this<ClientLink> {
 public:
  // Memory for a new client with `area_bytes` of its own. There is a placement for each worker.
  static Result<std::shared_ptr<ClientLink>> make(std::uint64_t number, std::vector<Placement>& workers,
                                                  std::size_t area_bytes);

  std::uint64_t number() const { return number_; }
  int memory_descriptor() const { return memory_fd_.get(); }
  std::span<std::byte> area() const { return mapping_.bytes().subspan(sizeof(ClientMemory)); }

  // In the worker's thread: handles what is ready; whether there was something.
  bool serve(unsigned worker, const Host::Handler& handler);
  bool has_ready(unsigned worker) const { return memory().ready[worker].set.load() != 0; }
  bool is_condemned() const { return condemned_.load(std::memory_order_relaxed); }

  // Nobody will answer any more: callers that wait are told. No worker may be running.
  void fail_callers();

 private:
  enum class Phase : std::uint8_t { idle, receiving, handling, answering };
  struct SlotState {
    Phase phase = Phase::idle;
    std::uint64_t ticket = 0;  // of the request being handled; an answer with another comes too late
    std::uint64_t total = 0;
    std::size_t sent = 0;
    Bytes bytes;  // what has come of the request, or the answer
  };

  ClientLink(std::uint64_t number, std::vector<Placement>& workers, UniqueFd memory_fd, Mapping mapping);

  ClientMemory& memory() const { return mapping_.as<ClientMemory>(); }
  SlotState& state(unsigned worker, unsigned slot) { return states_[worker * kSlots + slot]; }
  bool serve_slot(unsigned worker, unsigned slot, const Host::Handler& handler);
  bool receive(Slot& slot, SlotState& state, Frame frame);
  void handle(unsigned worker, unsigned slot, const Host::Handler& handler);
  void answer(unsigned worker, unsigned slot, std::uint64_t ticket, Bytes* answer);
  void send_part(unsigned worker, Slot& slot, SlotState& state);
  void give_turn(unsigned worker, Slot& slot, Frame frame);

  std::uint64_t number_;
  UniqueFd memory_fd_;
  Mapping mapping_;
  std::atomic<bool> condemned_ = false;
  std::vector<Placement>& placements_;  // by worker
  std::vector<SlotState> states_;       // by worker, then by slot
};

}  // namespace weir::transport::detail
