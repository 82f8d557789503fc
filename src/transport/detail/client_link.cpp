#include "transport/detail/client_link.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "transport/detail/futex.hpp"

namespace weir::transport::detail {

namespace {

// Whether the client slept.
bool pass_turn(Slot& slot, Frame frame) {
  slot.head.frame.store(static_cast<std::uint32_t>(frame), std::memory_order_relaxed);
  const bool slept = slot.head.turn.exchange(kClientsTurn, std::memory_order_acq_rel) == kServersTurnWaited;
  if (slept) futex_wake(slot.head.turn, 1);
  return slept;
}

Seat seat_of(const Slot& slot) { return Seat::from(slot.head.seat.load(std::memory_order_relaxed)); }

}  // namespace

Result<std::shared_ptr<ClientLink>> ClientLink::make(std::uint64_t number, std::vector<Placement>& workers,
                                                     std::size_t area_bytes) {
  const std::size_t bytes = sizeof(ClientMemory) + area_bytes;
  auto fd = make_memory("weir-client", bytes);
  if (!fd) return fd.error();
  auto mapping = Mapping::map(fd->get(), bytes, Mapping::Access::write);
  if (!mapping) return mapping.error();
  return std::shared_ptr<ClientLink>(new ClientLink(number, workers, std::move(*fd), std::move(*mapping)));
}

ClientLink::ClientLink(std::uint64_t number, std::vector<Placement>& workers, UniqueFd memory_fd,
                       Mapping mapping)
    : number_(number),
      memory_fd_(std::move(memory_fd)),
      mapping_(std::move(mapping)),
      placements_(workers),
      states_(workers.size() * kSlots) {}

bool ClientLink::serve(unsigned worker, const Host::Handler& handler) {
  auto& ready = memory().ready[worker].set;
  if (ready.load(std::memory_order_relaxed) == 0 || is_condemned()) return false;
  std::uint64_t slots = ready.exchange(0);
  for (; slots != 0; slots &= slots - 1) {
    const auto slot = static_cast<unsigned>(std::countr_zero(slots));
    if (slot >= kSlots || !serve_slot(worker, slot, handler)) {
      condemned_ = true;
      return true;
    }
  }
  return true;
}

// False when the client has broken the rules.
bool ClientLink::serve_slot(unsigned worker, unsigned slot_number, const Host::Handler& handler) {
  Slot& slot = memory().slots[slot_number];
  SlotState& here = state(worker, slot_number);
  if (slot.head.turn.load(std::memory_order_acquire) == kClientsTurn) return false;
  placements_[worker].asked(&slot);
  const auto frame = static_cast<Frame>(slot.head.frame.load(std::memory_order_relaxed));
  switch (frame) {
    case Frame::request:  // also in place of the rest of an answer that nobody waits for any more
    case Frame::next:
      if (!receive(slot, here, frame)) return false;
      if (here.bytes.size() == here.total)
        handle(worker, slot_number, handler);
      else
        give_turn(worker, slot, Frame::more);
      return true;
    case Frame::take:
      if (here.phase != Phase::answering) return false;
      send_part(worker, slot, here);
      return true;
    default:
      return false;
  }
}

// Takes a part of a request out of the slot. The client may be writing there all the while: what counts is
// the copy.
bool ClientLink::receive(Slot& slot, SlotState& here, Frame frame) {
  const std::uint32_t length = slot.head.length.load(std::memory_order_relaxed);
  if (frame == Frame::request) {
    if (here.phase == Phase::handling) return false;
    here.total = slot.head.total.load(std::memory_order_relaxed);
    if (here.total > kLongestMessage) return false;
    here.phase = Phase::receiving;
    here.bytes.clear();
    here.bytes.reserve(here.total);
  } else if (here.phase != Phase::receiving || length == 0) {
    return false;
  }
  if (length > kFrameBytes || length > here.total - here.bytes.size()) return false;
  if (length == 0 && here.total != 0) return false;
  here.bytes.insert(here.bytes.end(), slot.bytes, slot.bytes + length);
  return true;
}

void ClientLink::handle(unsigned worker, unsigned slot, const Host::Handler& handler) {
  SlotState& here = state(worker, slot);
  here.phase = Phase::handling;
  const std::uint64_t ticket = ++here.ticket;
  Respond respond([link = weak_from_this(), worker, slot, ticket](Bytes* answer, bool blames) {
    const auto alive = link.lock();
    if (alive == nullptr) return;
    if (blames) alive->condemned_ = true;
    alive->answer(worker, slot, ticket, answer);
  });
  if (handler) handler(number_, std::exchange(here.bytes, {}), std::move(respond));
  if (here.phase == Phase::handling && here.ticket == ticket)
    placements_[worker].asked_others(seat_of(memory().slots[slot]));
  else
    placements_[worker].answered_at_once();
}

void ClientLink::answer(unsigned worker, unsigned slot_number, std::uint64_t ticket, Bytes* answer) {
  SlotState& here = state(worker, slot_number);
  if (here.phase != Phase::handling || here.ticket != ticket) return;
  Slot& slot = memory().slots[slot_number];
  if (answer == nullptr || answer->size() > kLongestMessage) {
    here.phase = Phase::idle;
    return give_turn(worker, slot, Frame::failed);
  }
  here.phase = Phase::answering;
  here.bytes = std::move(*answer);
  here.sent = 0;
  send_part(worker, slot, here);
}

void ClientLink::send_part(unsigned worker, Slot& slot, SlotState& here) {
  const std::size_t length = std::min(here.bytes.size() - here.sent, kFrameBytes);
  if (length != 0) std::memcpy(slot.bytes, here.bytes.data() + here.sent, length);
  here.sent += length;
  slot.head.total.store(here.bytes.size(), std::memory_order_relaxed);
  slot.head.length.store(static_cast<std::uint32_t>(length), std::memory_order_relaxed);
  if (here.sent == here.bytes.size()) {
    here.phase = Phase::idle;
    here.bytes = {};
  }
  give_turn(worker, slot, Frame::answer);
}

void ClientLink::give_turn(unsigned worker, Slot& slot, Frame frame) {
  const Seat from = seat_of(slot);
  placements_[worker].answered(from, pass_turn(slot, frame));
}

void ClientLink::fail_callers() {
  for (Slot& slot : memory().slots)
    if (slot.head.turn.load(std::memory_order_acquire) != kClientsTurn) pass_turn(slot, Frame::failed);
}

}  // namespace weir::transport::detail
