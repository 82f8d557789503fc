#include "burst/client/token_desk.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "burst/lock_seats.hpp"

namespace weir::burst {

using lock::Blocks;
using lock::Mode;

namespace {

Blocks blocks_of(Span bytes) {
  Blocks blocks = lock::blocks_of(bytes.begin, bytes.size());
  // As far as a file can reach, and whatever it grows to.
  if (bytes.end >= static_cast<std::uint64_t>(INT64_MAX)) blocks.end = lock::kLastBlock;
  return blocks;
}

}  // namespace

// What a process shares with one worker of its node's server.
struct TokenDesk::Seat {
  SharedMemory board_memory;
  SharedMemory ring_memory;
  lock::TokenBoard board;
  lock::DirtyRing ring;

  std::mutex ring_mutex;  // one puts records in at a time

  std::mutex slots_mutex;  // guards what follows
  std::condition_variable slot_is_free;
  std::vector<std::uint32_t> free_slots;
  std::vector<std::uint32_t> unsure_slots;  // the agent may still have something in mind for them

  void give_back(std::uint32_t slot) {
    {
      const std::lock_guard lock(slots_mutex);
      free_slots.push_back(slot);
    }
    slot_is_free.notify_one();
  }
};

TokenDesk::TokenDesk(Session& session) : session_(session) {}
TokenDesk::~TokenDesk() = default;

Result<std::unique_ptr<TokenDesk::Seat>> TokenDesk::open_seat(const burst::Seat& granted) const {
  auto board_memory = SharedMemory::open(granted.board);
  if (!board_memory) return board_memory.error();
  auto ring_memory = SharedMemory::open(granted.ring);
  if (!ring_memory) return ring_memory.error();
  // Held, it is not taken for a dead client's; but it may have been just before.
  if (!ring_memory->hold() || !ring_memory->is_at(granted.ring))
    return Error{Errc::io, "the ring was taken away"};
  auto board = lock::TokenBoard::open(board_memory->bytes());
  if (!board) return board.error();
  auto ring = open_ring_of(ring_memory->bytes());
  if (!ring) return ring.error();
  if (granted.slots.empty()) return Error{Errc::bad_data, "no slot"};
  return std::unique_ptr<Seat>(new Seat{.board_memory = std::move(*board_memory),
                                        .ring_memory = std::move(*ring_memory),
                                        .board = *board,
                                        .ring = *ring,
                                        .ring_mutex = {},
                                        .slots_mutex = {},
                                        .slot_is_free = {},
                                        .free_slots = granted.slots,
                                        .unsure_slots = {}});
}

TokenDesk::Seat* TokenDesk::seat_of(FileId file, int& error) {
  const std::lock_guard lock(mutex_);
  auto& seat = seats_[file.home().worker];
  constexpr int kTries = 3;
  for (int i = 0; !seat && i < kTries; ++i) {
    const auto granted = session_.ask(agent_of(file), TakeSeat{});
    error = granted.error;
    if (!granted) return nullptr;
    auto opened = open_seat(granted.body);
    if (opened) seat = std::move(*opened);
  }
  error = seat ? 0 : EIO;
  return seat.get();
}

// Where all are in use one is waited for, as long as one waits for an answer. One that an answer is missing
// for is free once the agent says so.
std::optional<std::uint32_t> TokenDesk::take_slot(Seat& seat, FileId file) {
  std::unique_lock lock(seat.slots_mutex);
  if (seat.free_slots.empty() && !seat.unsure_slots.empty()) {
    const std::uint32_t slot = seat.unsure_slots.back();
    seat.unsure_slots.pop_back();
    lock.unlock();
    forget_entry(seat, file, slot);
    lock.lock();
  }
  const std::chrono::milliseconds limit(session_.job().limit_ms);
  if (!seat.slot_is_free.wait_for(lock, limit, [&] { return !seat.free_slots.empty(); })) return std::nullopt;
  const std::uint32_t slot = seat.free_slots.back();
  seat.free_slots.pop_back();
  return slot;
}

void TokenDesk::forget_entry(Seat& seat, FileId file, std::uint32_t slot) {
  if (session_.ask(agent_of(file), LockEnter{file, {}, slot}).error == 0) return seat.give_back(slot);
  const std::lock_guard lock(seat.slots_mutex);
  seat.unsure_slots.push_back(slot);
}

bool TokenDesk::is_held(FileId file, Blocks blocks) const {
  return std::ranges::any_of(holds_, [&](const Held& held) {
    return held.file == file && held.token.mode == Mode::exclusive && held.token.blocks.covers(blocks);
  });
}

int TokenDesk::push(Seat& seat, FileId file, std::span<const Extent> pieces, std::uint64_t ticket) {
  const std::lock_guard lock(seat.ring_mutex);
  const lock::DirtyRing::Pushing announced(seat.ring);
  if (seat.board.is_closed()) return EROFS;
  for (const Extent& piece : pieces) {
    const lock::DirtyRecord record{.file = file.value,
                                   .begin = piece.bytes.begin,
                                   .length = piece.bytes.size(),
                                   .segment = piece.where.segment,
                                   .position = piece.where.position,
                                   .ticket = ticket};
    while (!seat.ring.push(record))
      if (const int error = session_.ask(agent_of(file), LockDrain{}).error; error != 0) return error;
  }
  return 0;
}

int TokenDesk::write(FileId file, Span bytes, std::span<const Extent> pieces, std::uint64_t& pushed_before) {
  int error = 0;
  Seat* const seat = seat_of(file, error);
  if (seat == nullptr) return error;
  const Blocks blocks = blocks_of(bytes);
  {
    // Under a token of its own a process need not announce itself: it is released after the write.
    const std::shared_lock holds(holds_mutex_);
    if (!holds_.empty() && is_held(file, blocks)) {
      error = push(*seat, file, pieces, seat->board.take_ticket(file.value));
      pushed_before = seat->board.note_push(file.value);
      return error;
    }
  }
  const std::optional<std::uint32_t> taken = take_slot(*seat, file);
  if (!taken) return EIO;
  const std::uint32_t slot = *taken;
  auto access = seat->board.enter(slot, file.value, blocks, Mode::exclusive);
  if (access) {
    const std::lock_guard lock(seat->ring_mutex);
    seat->ring.count_local();
  }
  while (!access) {
    error = session_.ask(agent_of(file), LockEnter{file, blocks, slot}).error;
    if (error != 0) {
      // The agent may still have it in mind; until it says otherwise the slot is its own.
      forget_entry(*seat, file, slot);
      return error;
    }
    if (seat->board.take(slot)) access.emplace(seat->board.take_ticket(file.value));
  }
  error = push(*seat, file, pieces, access->ticket);
  pushed_before = seat->board.note_push(file.value);
  seat->board.leave(slot);
  seat->give_back(slot);
  return error;
}

int TokenDesk::marks(FileId file, Marks& marks) {
  int error = 0;
  const Seat* const seat = seat_of(file, error);
  if (seat != nullptr) marks = seat->board.marks(file.value);
  return error;
}

void TokenDesk::count_local(FileId file) {
  int error = 0;
  Seat* const seat = seat_of(file, error);
  if (seat == nullptr) return;
  const std::lock_guard lock(seat->ring_mutex);
  seat->ring.count_local();
}

Outcome<Queried> TokenDesk::look(FileId file, Span bytes) {
  return session_.ask(agent_of(file), LockLook{file, bytes.begin, bytes.end});
}

int TokenDesk::drain(FileId file) { return session_.ask(agent_of(file), LockDrain{file}).error; }

int TokenDesk::hold(FileId file, Blocks blocks, Mode mode, std::uint64_t& number) {
  int no_seat = 0;
  if (seat_of(file, no_seat) == nullptr) return no_seat;
  {
    const std::unique_lock lock(holds_mutex_);
    number = ++last_hold_;
  }
  const int error = session_.ask(agent_of(file), LockHold{file, blocks, mode, number}).error;
  if (error != 0) {
    session_.ask(agent_of(file), LockRelease{file, number});  // it may come yet
    return error;
  }
  const std::unique_lock lock(holds_mutex_);
  holds_.push_back({file, number, {blocks, mode}, false});
  return 0;
}

template <class Which>
int TokenDesk::release_where(const Which& which) {
  std::vector<Held> ended;
  {
    const std::unique_lock lock(holds_mutex_);
    const auto rest =
        std::stable_partition(holds_.begin(), holds_.end(), [&](const Held& held) { return !which(held); });
    ended.assign(rest, holds_.end());
    holds_.erase(rest, holds_.end());
  }
  int error = 0;
  for (const Held& held : ended)
    if (const int failed = session_.ask(agent_of(held.file), LockRelease{held.file, held.number}).error;
        failed != 0)
      error = failed;
  return error;
}

int TokenDesk::hold_whole(FileId file, std::uint64_t& number) {
  if (const int error = hold(file, {0, lock::kLastBlock}, Mode::exclusive, number); error != 0) return error;
  const int error = drain(file);
  // Who asked for it gives up, and nobody else would let it go.
  if (error != 0) static_cast<void>(release(file, number));
  return error;
}

int TokenDesk::release(FileId file, std::uint64_t number) {
  return release_where([&](const Held& held) { return held.file == file && held.number == number; });
}

int TokenDesk::lock(FileId file, Span bytes, Mode mode) {
  std::uint64_t number = 0;
  if (const int error = hold(file, blocks_of(bytes), mode, number); error != 0) return error;
  const std::unique_lock lock(holds_mutex_);
  for (Held& held : holds_)
    if (held.number == number) held.by_program = true;
  return 0;
}

int TokenDesk::unlock(FileId file, Span bytes) {
  return release_where([&, blocks = blocks_of(bytes)](const Held& held) {
    return held.by_program && held.file == file && held.token.blocks.overlaps(blocks);
  });
}

int TokenDesk::unlock_file(FileId file) {
  return release_where([&](const Held& held) { return held.by_program && held.file == file; });
}

int TokenDesk::unlock_all() {
  return release_where([](const Held& held) { return held.by_program; });
}

}  // namespace weir::burst
