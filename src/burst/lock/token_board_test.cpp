#include "burst/lock/token_board.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.hpp"

namespace weir::burst::lock {
namespace {

using namespace std::chrono_literals;

// Memory that forked processes share.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t size)
      : size_(size),
        data_(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
  ~SharedMemory() { ::munmap(data_, size_); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), size_}; }

 private:
  std::size_t size_;
  void* data_;
};

constexpr TokenBoard::Layout kSmall{.sets = 4, .slots = 16};
constexpr std::uint64_t kFile = 77;
constexpr Blocks kAll{0, kLastBlock};

struct TokenBoards : testing::Test {
  SharedMemory memory{TokenBoard::size_bytes(kSmall)};
  TokenBoard board = *TokenBoard::create(memory.bytes(), kSmall);
  std::uint32_t slot = *board.claim_slot(1);
};

TEST_F(TokenBoards, AnAccessNeedsATokenThatCoversIt) {
  EXPECT_FALSE(board.enter(slot, kFile, {0, 1}, Mode::shared));
  board.publish(kFile, {{10, 20}, Mode::shared});
  EXPECT_FALSE(board.enter(slot, kFile, {9, 11}, Mode::shared));
  EXPECT_FALSE(board.enter(slot, kFile, {19, 21}, Mode::shared));
  EXPECT_FALSE(board.enter(slot, kFile, {12, 13}, Mode::exclusive));
  EXPECT_FALSE(board.enter(slot, kFile + 1, {12, 13}, Mode::shared));
  ASSERT_TRUE(board.enter(slot, kFile, {10, 20}, Mode::shared));
  EXPECT_TRUE(board.in_use(kFile, {19, 30}));
  EXPECT_FALSE(board.in_use(kFile, {20, 30}));
  EXPECT_FALSE(board.in_use(kFile, {10, 20}, true));  // readers may go on
  EXPECT_FALSE(board.in_use(kFile + 1, {10, 20}));
  EXPECT_EQ(board.users(kFile, kAll), std::vector<ClientId>{1});
  board.leave(slot);
  EXPECT_FALSE(board.in_use(kFile, kAll));
}

TEST_F(TokenBoards, WithdrawingLeavesWhatIsBeside) {
  board.publish(kFile, {{0, 100}, Mode::exclusive});
  board.withdraw(kFile, {40, 60});
  EXPECT_FALSE(board.enter(slot, kFile, {45, 46}, Mode::shared));
  EXPECT_FALSE(board.enter(slot, kFile, {39, 41}, Mode::shared));
  for (const Blocks& blocks : {Blocks{0, 40}, Blocks{60, 100}}) {
    EXPECT_TRUE(board.enter(slot, kFile, blocks, Mode::exclusive));
    board.leave(slot);
  }
}

TEST_F(TokenBoards, AnExclusiveTokenCanBecomeAShared) {
  board.publish(kFile, {{0, 100}, Mode::exclusive});
  board.withdraw(kFile, {40, 60}, true);
  EXPECT_FALSE(board.enter(slot, kFile, {45, 46}, Mode::exclusive));
  ASSERT_TRUE(board.enter(slot, kFile, {40, 60}, Mode::shared));
  board.leave(slot);
  EXPECT_TRUE(board.enter(slot, kFile, {60, 61}, Mode::exclusive));
}

TEST_F(TokenBoards, EvictedTokensAreStillWaitedFor) {
  board.publish(kFile, {{0, 10}, Mode::exclusive});
  ASSERT_TRUE(board.enter(slot, kFile, {3, 4}, Mode::exclusive));
  for (std::uint64_t i = 1; i <= TokenBoard::kWays; ++i)
    board.publish(kFile, {{i * 100, i * 100 + 1}, Mode::exclusive});
  EXPECT_TRUE(board.in_use(kFile, {0, 10}));
  board.leave(slot);
  EXPECT_FALSE(board.enter(slot, kFile, {3, 4}, Mode::exclusive));  // costs a message now
  EXPECT_TRUE(board.enter(slot, kFile, {800, 801}, Mode::exclusive));
}

TEST_F(TokenBoards, TicketsOrderWritesAcrossTokensOfAFile) {
  board.publish(kFile, {{0, 10}, Mode::exclusive});
  const auto first = board.enter(slot, kFile, {0, 1}, Mode::exclusive);
  board.leave(slot);
  board.withdraw(kFile, kAll);
  board.publish(kFile, {{0, 20}, Mode::exclusive});
  const auto second = board.enter(slot, kFile, {0, 1}, Mode::exclusive);
  board.leave(slot);
  ASSERT_TRUE(first && second);
  EXPECT_LT(first->ticket, second->ticket);
  EXPECT_LT(second->ticket, board.take_ticket(kFile));
}

TEST_F(TokenBoards, TheRunOfAClientIsRemembered) {
  board.publish(kFile, {kAll, Mode::exclusive});
  const auto use = [&](Blocks blocks) {
    ASSERT_TRUE(board.enter(slot, kFile, blocks, Mode::exclusive));
    board.leave(slot);
  };
  const auto run = [&] {
    Blocks found;
    board.recent_use(kFile, [&](ClientId client, Blocks blocks) {
      EXPECT_EQ(client, 1u);
      found = blocks;
    });
    return found;
  };
  use({5, 6});
  use({6, 8});
  use({6, 7});
  EXPECT_EQ(run(), (Blocks{5, 8}));
  use({20, 21});
  EXPECT_EQ(run(), (Blocks{20, 21}));
}

TEST_F(TokenBoards, TheAgentCanEnterForAClientThatWaits) {
  board.enter_for(slot, kFile, {3, 5}, Mode::exclusive);
  EXPECT_TRUE(board.in_use(kFile, {4, 5}));
  board.leave(slot);
  EXPECT_FALSE(board.in_use(kFile, {4, 5}));
}

TEST_F(TokenBoards, SlotsOfADeadClientAreFree) {
  std::vector<std::uint32_t> slots{slot};
  while (const auto more = board.claim_slot(1)) slots.push_back(*more);
  EXPECT_EQ(slots.size(), kSmall.slots);
  board.publish(kFile, {kAll, Mode::exclusive});
  for (const std::uint32_t one : slots) ASSERT_TRUE(board.enter(one, kFile, {0, 1}, Mode::exclusive));
  EXPECT_FALSE(board.wait_unused(kFile, kAll, false, 1ms));
  board.clear(1);
  EXPECT_TRUE(board.wait_unused(kFile, kAll, false, 1ms));
  EXPECT_TRUE(board.claim_slot(2));
}

TEST_F(TokenBoards, ANewAgentTakesTokensOffAndLeavesSlots) {
  board.publish(kFile, {kAll, Mode::exclusive});
  ASSERT_TRUE(board.enter(slot, kFile, {0, 1}, Mode::exclusive));
  TokenBoard later = *TokenBoard::open(memory.bytes());
  later.take_over();
  EXPECT_FALSE(board.enter(*board.claim_slot(2), kFile, {5, 6}, Mode::exclusive));
  EXPECT_TRUE(later.in_use(kFile, {0, 1}));
}

TEST(TokenBoard, MemoryThatIsNoBoardIsRefused) {
  SharedMemory memory(TokenBoard::size_bytes(kSmall));
  EXPECT_FALSE(TokenBoard::open(memory.bytes()));
  EXPECT_FALSE(TokenBoard::open(memory.bytes().first(8)));
  EXPECT_FALSE(TokenBoard::create(memory.bytes().first(64), kSmall));
  EXPECT_FALSE(TokenBoard::create(memory.bytes(), {.sets = 3, .slots = 1}));
  ASSERT_TRUE(TokenBoard::create(memory.bytes(), kSmall));
  EXPECT_FALSE(TokenBoard::open(memory.bytes().first(memory.bytes().size() - 1)));
  EXPECT_TRUE(TokenBoard::open(memory.bytes()));
}

// Clients write cells that the agent writes too while it has taken the token away: plain memory, so that
// ThreadSanitizer and the sums both notice an overlap.
TEST(TokenBoard, NoClientWorksWhileTheTokenIsAway) {
  constexpr int kClients = 2;
  constexpr std::uint64_t kRounds = 60;
  SharedMemory memory(TokenBoard::size_bytes(kSmall));
  TokenBoard board = *TokenBoard::create(memory.bytes(), kSmall);
  std::array<std::uint64_t, kClients> cells{};
  std::array<std::vector<std::uint64_t>, kClients> tickets;
  std::atomic<bool> stop = false;
  std::atomic<int> at_work = 0;
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < kClients; ++i)
    clients.emplace_back([&, i, slot = *board.claim_slot(i + 1)]() mutable {
      while (!stop.load()) {
        const auto access = board.enter(slot, kFile, {i, i + 1}, Mode::exclusive);
        if (!access) {
          std::this_thread::yield();
          continue;
        }
        cells[i] += 1;
        tickets[i].push_back(access->ticket);
        board.leave(slot);
        at_work.fetch_or(1 << i);
      }
    });
  std::uint64_t taken = 0;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    at_work.store(0);
    board.publish(kFile, {kAll, Mode::exclusive});
    while (at_work.load() == 0) std::this_thread::yield();
    board.withdraw(kFile, kAll);
    while (!board.wait_unused(kFile, kAll, false, 1s)) continue;
    for (std::uint64_t& cell : cells) taken += std::exchange(cell, 0);
  }
  stop.store(true);
  for (std::thread& client : clients) client.join();
  std::set<std::uint64_t> all;
  std::size_t accesses = 0;
  for (const auto& mine : tickets) {
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    all.insert(mine.begin(), mine.end());
    accesses += mine.size();
  }
  EXPECT_EQ(all.size(), accesses);
  EXPECT_EQ(taken, accesses);
}

// Processes are killed wherever they are; the agent clears what they left and goes on.
TEST(TokenBoard, KilledProcessesDoNotHoldATokenForEver) {
  SharedMemory memory(TokenBoard::size_bytes(kSmall));
  TokenBoard board = *TokenBoard::create(memory.bytes(), kSmall);
  SharedMemory cells_memory(4096);
  auto* inside = reinterpret_cast<std::atomic<std::uint64_t>*>(cells_memory.bytes().data());  // by client
  Random random(1);
  for (ClientId client = 1; client <= 6; ++client) {
    const std::uint32_t slot = *board.claim_slot(client);
    board.publish(kFile, {kAll, Mode::exclusive});
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      TokenBoard mine = *TokenBoard::open(memory.bytes());
      for (;;) {
        if (!mine.enter(slot, kFile, {client, client + 1}, Mode::exclusive)) continue;
        for (int i = 0; i < 50; ++i) inside[client].fetch_add(1);
        mine.leave(slot);
      }
    }
    const std::uint64_t far_enough = 1 + random.below(2000);
    while (inside[client].load() < far_enough) std::this_thread::yield();
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    board.withdraw(kFile, kAll);
    if (!board.wait_unused(kFile, kAll, false, 1ms)) {
      EXPECT_EQ(board.users(kFile, kAll), std::vector<ClientId>{client});
    }
    board.clear(client);
    EXPECT_TRUE(board.wait_unused(kFile, kAll, false, 1s));
  }
}

}  // namespace
}  // namespace weir::burst::lock
