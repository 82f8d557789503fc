#include "transport/channel.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fork_mark.hpp"
#include "transport/detail/connection.hpp"
#include "transport/detail/futex.hpp"
#include "transport/detail/layout.hpp"
#include "transport/detail/pause.hpp"
#include "transport/detail/ring.hpp"
#include "transport/detail/slot_pool.hpp"
#include "transport/detail/spin_habit.hpp"

namespace weir::transport {

namespace {

using Clock = std::chrono::steady_clock;
using detail::Frame;
using detail::Slot;

enum class Outcome { turn, late, gone };

Error describe(Outcome outcome) {
  if (outcome == Outcome::late) return {Errc::io, "the server did not answer in time"};
  return {Errc::io, "the server is gone"};
}

bool has_one_processor() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1;
}

}  // namespace

struct Channel::Impl {
  explicit Impl(detail::Connection made)
      : connection(std::move(made)), memory(connection.memory.as<detail::ClientMemory>()), pool(memory) {}

  Result<Bytes> exchange(unsigned worker, unsigned slot, ByteSpan request, Clock::time_point deadline);
  Outcome pass(unsigned worker, unsigned slot, Frame frame, Clock::time_point deadline);
  struct Server {
    detail::Seat seat;
    bool slept;
  };
  Outcome await_turn(Slot& slot, detail::Seat here, Server server, Clock::time_point deadline);
  bool check_gone();

  ForkMark mark;
  detail::Connection connection;
  detail::ClientMemory& memory;
  detail::SlotPool pool;
  const bool one_processor = has_one_processor();
  detail::SpinHabit habit;
  detail::CoreHabit core;
  std::atomic<bool> gone = false;
};

// By syscall(), as everything in a call: neither intercepted nor a point at which a thread can be cancelled.
bool Channel::Impl::check_gone() {
  if (gone.load(std::memory_order_relaxed)) return true;
  std::byte byte{};
  const long got =
      ::syscall(SYS_recvfrom, connection.socket.get(), &byte, 1UL, MSG_PEEK | MSG_DONTWAIT, nullptr, nullptr);
  if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) return false;
  gone = true;
  return true;
}

// Waits without sleeping for a while: most answers take a few microseconds. Then sleeps, looking now and then
// whether the server is still there: the death of a process wakes nobody. A server that slept may be woken on
// this core: who had it meanwhile is not known then.
Outcome Channel::Impl::await_turn(Slot& slot, detail::Seat here, Server server, Clock::time_point deadline) {
  constexpr std::chrono::microseconds kSpin{30};
  constexpr unsigned kBetweenYields = 16;
  constexpr std::chrono::microseconds kTurn{2};  // longer than that, and somebody had the core
  constexpr std::chrono::milliseconds kLookAgain{20};
  auto& turn = slot.head.turn;
  const auto begin = Clock::now();
  const bool is_here = server.seat.core != 0 && server.seat.core == here.core;
  const bool spins = !(is_here && server.seat.is_crowded) && !one_processor && habit.worth();
  bool lent = false;
  bool alone = true;  // on this core, but for the server
  for (unsigned i = 1; spins; ++i) {
    if (turn.load(std::memory_order_acquire) == detail::kClientsTurn) {
      habit.found();
      if (lent && !server.slept) core.lent(alone);
      return Outcome::turn;
    }
    if (i % 8 == 0 && Clock::now() - begin > kSpin) break;
    if (i % kBetweenYields != 0) {
      detail::pause_processor();
    } else {
      lent = true;
      alone &= detail::lend_core() <= kTurn || is_here;
    }
  }
  const auto asleep = Clock::now();
  for (;;) {
    std::uint32_t seen = detail::kServersTurn;
    turn.compare_exchange_strong(seen, detail::kServersTurnWaited, std::memory_order_acq_rel);
    if (seen == detail::kClientsTurn) return Outcome::turn;
    const auto now = Clock::now();
    if (now >= deadline) return Outcome::late;
    detail::futex_wait(turn, detail::kServersTurnWaited,
                       std::min<std::chrono::nanoseconds>(deadline - now, kLookAgain));
    if (turn.load(std::memory_order_acquire) == detail::kClientsTurn) {
      if (spins) habit.in_vain(Clock::now() - asleep);
      return Outcome::turn;
    }
    if (check_gone()) return Outcome::gone;
  }
}

Outcome Channel::Impl::pass(unsigned worker, unsigned slot_number, Frame frame, Clock::time_point deadline) {
  Slot& slot = memory.slots[slot_number];
  slot.head.frame.store(static_cast<std::uint32_t>(frame), std::memory_order_relaxed);
  const detail::Seat here{detail::this_core(), core.is_crowded()};
  slot.head.seat.store(here.word(), std::memory_order_relaxed);
  slot.head.turn.store(detail::kServersTurn, std::memory_order_release);
  memory.ready[worker].set.fetch_or(std::uint64_t{1} << slot_number);
  const detail::WorkerWord& server = connection.page.as<detail::HostMemory>().workers[worker];
  const bool asleep = server.sleeping.load() != 0;
  if (asleep) detail::ring(connection.bells[worker].get());
  const auto there = detail::Seat::from(server.seat.load(std::memory_order_relaxed));
  return await_turn(slot, here, {there, asleep}, deadline);
}

Result<Bytes> Channel::Impl::exchange(unsigned worker, unsigned slot_number, ByteSpan request,
                                      Clock::time_point deadline) {
  Slot& slot = memory.slots[slot_number];
  auto& head = slot.head;
  head.total.store(request.size(), std::memory_order_relaxed);
  for (Frame frame = Frame::request; frame == Frame::request || !request.empty(); frame = Frame::next) {
    const std::size_t length = std::min(request.size(), detail::kFrameBytes);
    if (length != 0) std::memcpy(slot.bytes, request.data(), length);
    head.length.store(static_cast<std::uint32_t>(length), std::memory_order_relaxed);
    request = request.subspan(length);
    if (const Outcome outcome = pass(worker, slot_number, frame, deadline); outcome != Outcome::turn)
      return describe(outcome);
    if (head.frame.load(std::memory_order_relaxed) != static_cast<std::uint32_t>(Frame::more)) break;
  }
  Bytes answer;
  for (;;) {
    if (head.frame.load(std::memory_order_relaxed) != static_cast<std::uint32_t>(Frame::answer))
      return Error{Errc::io, "the server dropped the request unanswered"};
    const std::uint64_t total = head.total.load(std::memory_order_relaxed);
    const std::uint32_t length = head.length.load(std::memory_order_relaxed);
    if (total > kLongestMessage || length > detail::kFrameBytes || length > total - answer.size() ||
        (length == 0 && total != 0))
      return Error{Errc::bad_data, "the server's answer is damaged"};
    answer.reserve(total);
    answer.insert(answer.end(), slot.bytes, slot.bytes + length);
    if (answer.size() == total) return answer;
    if (const Outcome outcome = pass(worker, slot_number, Frame::take, deadline); outcome != Outcome::turn)
      return describe(outcome);
  }
}

Channel::Channel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Channel::~Channel() {
  // Explicitly: a forked child may still hold the socket.
  if (impl_->mark.is_here()) ::shutdown(impl_->connection.socket.get(), SHUT_RDWR);
}

Result<std::unique_ptr<Channel>> Channel::connect(const ChannelOptions& options,
                                                  std::chrono::nanoseconds limit) try {
  auto made = detail::make_connection(options, limit);
  if (!made) return made.error();
  return std::unique_ptr<Channel>(new Channel(std::make_unique<Impl>(std::move(*made))));
} catch (const std::bad_alloc&) {
  return Error{Errc::full, "no memory left"};
}

Result<Bytes> Channel::call(unsigned worker, ByteSpan request, std::chrono::nanoseconds limit) try {
  if (!impl_->mark.is_here())
    return Error{Errc::usage, "a forked child cannot use its parent's connection"}.with_remedy(
        "connect anew");
  if (worker >= impl_->connection.bells.size())
    return Error{Errc::usage, fmt::format("no worker {} among {}", worker, impl_->connection.bells.size())};
  if (request.size() > kLongestMessage)
    return Error{Errc::too_big,
                 fmt::format("a request of {} bytes; {} is the most", request.size(), kLongestMessage)};
  if (impl_->gone.load(std::memory_order_relaxed)) return describe(Outcome::gone);
  const auto deadline =
      Clock::now() + std::min<std::chrono::nanoseconds>(limit, std::chrono::hours(24 * 365));
  const auto slot = impl_->pool.take(deadline);
  if (!slot) return describe(impl_->check_gone() ? Outcome::gone : Outcome::late);
  const detail::SlotUse use(impl_->pool, *slot);
  return impl_->exchange(worker, *slot, request, deadline);
} catch (const std::bad_alloc&) {
  return Error{Errc::full, "no memory left"};
}

std::uint64_t Channel::client() const { return impl_->connection.client; }

unsigned Channel::workers() const { return static_cast<unsigned>(impl_->connection.bells.size()); }

std::span<std::byte> Channel::area() const {
  return impl_->connection.memory.bytes().subspan(sizeof(detail::ClientMemory));
}

std::span<std::byte> Channel::region(unsigned index) const {
  const auto& regions = impl_->connection.regions;
  return index < regions.size() ? regions[index].bytes() : std::span<std::byte>();
}

bool Channel::is_gone() const { return impl_->check_gone(); }

std::vector<int> Channel::descriptors() const {
  std::vector<int> all{impl_->connection.socket.get()};
  for (const UniqueFd& bell : impl_->connection.bells) all.push_back(bell.get());
  return all;
}

}  // namespace weir::transport
