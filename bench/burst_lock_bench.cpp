// What a lock costs without its messages: an access under a token on the board, against an uncontended
// std::mutex; a request that the agent serves from its tokens (T_l of eq. 5.1), one that the owner grants
// (T_s) and one that another node gives up (T_c), each as the work of the state machines alone.
//
//   burst_lock_bench [REPEATS]
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "burst/lock/agent.hpp"
#include "burst/lock/owner.hpp"
#include "burst/lock/token_board.hpp"

namespace {

using namespace weir::burst::lock;

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The median over repeats of nanoseconds an operation; work(count) does so many.
template <class Work>
double nanoseconds_each(int repeats, std::uint64_t count, const Work& work) {
  std::vector<double> all;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double begin = cpu_seconds();
    work(count);
    all.push_back((cpu_seconds() - begin) * 1e9 / static_cast<double>(count));
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

// An owner and its agents, messages handed over at once.
class Nodes {
 public:
  Nodes(Options options, NodeId count) : owner_(options) {
    for (NodeId node = 0; node < count; ++node) agents_.emplace_back(node, options);
  }
  void use(NodeId node, Blocks blocks) {
    const LocalId id = ++last_;
    Actions out;
    agents_[node].acquire(id, node, blocks, Mode::exclusive, out);
    carry_out(node, out);
    Actions after;
    agents_[node].release(id, after);
    carry_out(node, after);
  }
  const Counters& counters(NodeId node) const { return agents_[node].counters(); }

 private:
  void carry_out(NodeId node, const Actions& out) {
    for (const auto& [stamp, message] : out.to_owner) {
      ToNodes answers;
      owner_.receive(node, stamp, message, answers);
      for (const ToNode& answer : answers) {
        Actions next;
        agents_[answer.node].receive(answer.stamp, answer.message, next);
        carry_out(answer.node, next);
      }
    }
    for (const auto& [to, ask] : out.asks) {
      Actions next;
      agents_[to].receive(ask, next);
      carry_out(to, next);
    }
    for (const Reclaim& reclaim : out.reclaims) {
      Actions next;
      agents_[node].reclaimed(reclaim.id, next);
      carry_out(node, next);
    }
  }

  LockOwner owner_;
  std::vector<LockAgent> agents_;
  LocalId last_ = 0;
};

void print(std::string_view what, double cost, double reference) {
  fmt::print("{:<52} {:>9.1f} {:>8.2f}\n", what, cost, cost / reference);
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 5;
  if (repeats < 1) {
    fmt::print(stderr, "usage: burst_lock_bench [REPEATS]\n");
    return 2;
  }
  fmt::print("{:<52} {:>9} {:>8}\n", "", "ns each", "/ mutex");
  std::mutex mutex;
  std::uint64_t guarded = 0;
  const double reference = nanoseconds_each(repeats, 1'000'000, [&](std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::lock_guard lock(mutex);
      guarded = guarded + i;
    }
  });
  print("std::mutex, nobody else there", reference, reference);

  const TokenBoard::Layout layout;
  std::vector<std::byte> memory(TokenBoard::size_bytes(layout) + 64);
  const std::size_t skew = 64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
  TokenBoard board = *TokenBoard::create(std::span(memory).subspan(skew), layout);
  const std::uint32_t slot = *board.claim_slot(1);
  board.publish(7, {{0, kLastBlock}, Mode::exclusive});
  for (const Mode mode : {Mode::exclusive, Mode::shared})
    print(mode == Mode::exclusive ? "board: a write under a held token" : "board: a read under a held token",
          nanoseconds_each(repeats, 1'000'000,
                           [&](std::uint64_t count) {
                             for (std::uint64_t i = 0; i < count; ++i) {
                               if (!board.enter(slot, 7, {i, i + 1}, mode)) std::abort();
                               board.leave(slot);
                             }
                           }),
          reference);

  std::uint64_t block = 0;
  Nodes alone({GrantRange::extend, Settle::split}, 1);
  print("agent: from the node's tokens (local)",
        nanoseconds_each(repeats, 100'000,
                         [&](std::uint64_t count) {
                           for (std::uint64_t i = 0; i < count; ++i) alone.use(0, {i, i + 1});
                         }),
        reference);
  Nodes exact({GrantRange::exact, Settle::split}, 1);
  print("agent and owner: nobody holds it (new)",
        nanoseconds_each(repeats, 100'000,
                         [&](std::uint64_t count) {
                           for (std::uint64_t i = 0; i < count; ++i, block += 2)
                             exact.use(0, {block, block + 1});
                         }),
        reference);
  Nodes two({GrantRange::extend, Settle::split}, 2);
  print("two agents and owner: taken from the other (conflict)",
        nanoseconds_each(repeats, 100'000,
                         [&](std::uint64_t count) {
                           for (std::uint64_t i = 0; i < count; ++i) two.use(i % 2, {5, 6});
                         }),
        reference);
  if (two.counters(0).conflict + two.counters(1).conflict < 100'000 || exact.counters(0).local != 0) return 4;
  return 0;
}
