#include <deque>

#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"
#include "burst/lock_agents.hpp"
#include "burst/lock_owners.hpp"

namespace weir::burst {
namespace {

// The owner and the agent of the only node; what they say to each other arrives when the test lets it.
class LocksAlone : public LockPorts {
 public:
  LocksAlone() {
    owners.on_find([this](FileId) { return has_file; });
    owners.on_first_use([this] { return agents.begin() ? 0 : ENOSPC; });
  }

  template <class Body>
  Outcome<typename Body::Answer> ask_for(std::uint64_t client, const Body& body) {
    Outcome<typename Body::Answer> outcome;
    give(encode_request({.client = client}, body),
         [&](const Result<Bytes>& answer) { outcome = decode_answer<typename Body::Answer>(answer); });
    run();
    return outcome;
  }
  void run() {
    while (!waiting_.empty()) {
      const auto next = std::move(waiting_.front());
      waiting_.pop_front();
      next();
    }
  }

  void send(Home /*to*/, Bytes request, std::function<void(Result<Bytes>)> done) override {
    waiting_.emplace_back(
        [this, request = std::move(request), done = std::move(done)] { give(request, done); });
  }
  void after(std::chrono::nanoseconds /*delay*/, std::function<void()> work) override {
    waiting_.push_back(std::move(work));
  }

 private:
  void give(const Bytes& request, const std::function<void(Result<Bytes>)>& done) {
    ByteSpan rest(request);
    const auto header = decode_header(rest);
    Respond respond([done](Bytes* answer, bool /*blames*/) {
      if (answer != nullptr) done(std::move(*answer));
    });
    EXPECT_TRUE(agents.handle(*header, rest, respond) || owners.handle(*header, rest, respond));
  }

  ScratchDir scratch_;
  std::deque<std::function<void()>> waiting_;

 public:
  bool has_file = true;
  LockOwners owners{{0, 0}, {1, 1}, {}, *this};
  LockAgents agents{{0, 0}, {1, 1}, {}, scratch_.path() / "locks", *this};
};

TEST(LocksOfFiles, OfAFileThatIsGoneNothingIsKept) {
  constexpr std::uint64_t kClient = 7;
  LocksAlone locks;
  const auto seat = locks.ask_for(kClient, TakeSeat{});
  ASSERT_EQ(seat.error, 0);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    const FileId file = FileId::of({0, 0}, i);
    locks.has_file = true;
    // Answered with the access in the slot, which nobody takes.
    EXPECT_EQ(locks.ask_for(kClient, LockEnter{file, {0, 4}, seat.body.slots.front()}).error, 0);
    EXPECT_EQ(locks.owners.files(), 1u);
    EXPECT_EQ(locks.agents.files(), 1u);
    locks.has_file = false;
    locks.owners.file_gone(file);
    locks.run();
    EXPECT_EQ(locks.owners.files(), 0u);
    EXPECT_EQ(locks.agents.files(), 0u);
  }
  EXPECT_EQ(locks.agents.counters().fresh, 10u);
}

}  // namespace
}  // namespace weir::burst
