#include "workload/detail/board.hpp"

#include <limits>
#include <new>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir::workload::detail {
namespace {

// std::atomic's wait() sees only its own process, so the kernel is asked directly.
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value, const timespec* at_most) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, at_most, nullptr, 0);
}

void wake_all(const std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

timespec as_timespec(Nanoseconds time) { return {time.count / 1'000'000'000, time.count % 1'000'000'000}; }

}  // namespace

Result<Board> Board::make(std::uint32_t workers) {
  const std::size_t head = aligned_up(sizeof(Shared));
  auto memory = Memory::allocate(head + workers * sizeof(Lane), Memory::Kind::shared_with_children);
  if (!memory) return memory.error();
  Board board;
  board.shared_ = new (memory->data()) Shared;
  board.lanes_ = reinterpret_cast<Lane*>(memory->data() + head);
  for (std::uint32_t i = 0; i < workers; ++i) {
    Lane* const lane = new (board.lanes_ + i) Lane;
    lane->stop = &board.shared_->stop;
  }
  board.workers_ = workers;
  board.memory_ = std::move(*memory);
  return board;
}

bool Board::ready_and_wait() const {
  if (shared_->ready.fetch_add(1) + 1 == workers_) wake_all(shared_->ready);
  std::uint32_t gate = 0;
  while ((gate = shared_->gate.load(std::memory_order_acquire)) == static_cast<std::uint32_t>(Gate::closed))
    wait_while(shared_->gate, gate, nullptr);
  return gate == static_cast<std::uint32_t>(Gate::open);
}

void Board::begin(Lane& lane) const {
  lane.begin = Clock::now();
  if (shared_->begun.fetch_add(1) + 1 == workers_) shared_->last_begin = look();
}

void Board::end(Lane& lane) const {
  lane.end = Clock::now();
  if (shared_->first.exchange(1) == 0) shared_->first_end = look();
  if (shared_->ended.fetch_add(1) + 1 == workers_) wake_all(shared_->ended);
}

Snapshot Board::look() const {
  Snapshot snapshot;
  snapshot.when = Clock::now();
  for (std::uint32_t i = 0; i < workers_; ++i) snapshot.bytes += lanes_[i].bytes();
  return snapshot;
}

bool Board::all_ready() const { return shared_->ready.load() == workers_; }
bool Board::all_ended() const { return shared_->ended.load() == workers_; }

void Board::wait_for_ready(Nanoseconds at_most) const {
  const timespec time = as_timespec(at_most);
  if (const std::uint32_t ready = shared_->ready.load(); ready != workers_)
    wait_while(shared_->ready, ready, &time);
}

void Board::wait_for_end(Nanoseconds at_most) const {
  const timespec time = as_timespec(at_most);
  if (const std::uint32_t ended = shared_->ended.load(); ended != workers_)
    wait_while(shared_->ended, ended, &time);
}

void Board::let_go() const {
  shared_->started = Clock::now();
  set_gate(Gate::open);
}

void Board::stop() const {
  shared_->stop.store(1);
  set_gate(Gate::never);
}

void Board::set_gate(Gate gate) const {
  auto closed = static_cast<std::uint32_t>(Gate::closed);
  shared_->gate.compare_exchange_strong(closed, static_cast<std::uint32_t>(gate));
  wake_all(shared_->gate);
}

}  // namespace weir::workload::detail
