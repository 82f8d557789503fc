#include "capture/thread_numbers.hpp"

#include <memory>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir::capture {
namespace {

struct Started {
  std::int64_t number = 0;
  pthread_barrier_t met{};
};

void* tell_and_wait(void* argument) {
  auto* const started = static_cast<Started*>(argument);
  started->number = syscall(SYS_gettid);
  pthread_barrier_wait(&started->met);
  return nullptr;
}

TEST(ThreadNumbers, AreThoseOfTheKernelUntilTheThreadIsJoined) {
  const auto numbers = std::make_unique<ThreadNumbers>();
  for (int turn = 0; turn < 20; ++turn) {  // the C library gives the same names again
    Started started;
    pthread_barrier_init(&started.met, nullptr, 2);
    pthread_t thread{};
    ASSERT_EQ(pthread_create(&thread, nullptr, tell_and_wait, &started), 0);
    const std::int64_t number = numbers->begun(thread);
    pthread_barrier_wait(&started.met);
    EXPECT_EQ(numbers->find(thread), number);  // also when it has ended
    ASSERT_EQ(pthread_join(thread, nullptr), 0);
    EXPECT_EQ(number, started.number);
    numbers->joined(thread, number);
    EXPECT_EQ(numbers->find(thread), 0);
    pthread_barrier_destroy(&started.met);
  }
}

struct Told {
  ThreadNumbers* numbers = nullptr;
  std::int64_t number = 0;
};

void* tell_of_itself(void* argument) {
  auto* const told = static_cast<Told*>(argument);
  told->number = syscall(SYS_gettid);
  EXPECT_EQ(told->numbers->begun(pthread_self()), told->number);
  return nullptr;
}

void* say_nothing(void* /*argument*/) { return nullptr; }

// The kernel clears a thread's number when it has ended; its maker may come later.
void wait_for_end(pthread_t thread) {
  while (ThreadNumbers::ask(thread) != 0) sched_yield();
}

TEST(ThreadNumbers, AreKnownOfThreadsThatEndedBeforeTheirMakerAsks) {
  const auto numbers = std::make_unique<ThreadNumbers>();
  for (int turn = 0; turn < 20; ++turn) {
    Told told{numbers.get()};
    pthread_t thread{};
    ASSERT_EQ(pthread_create(&thread, nullptr, tell_of_itself, &told), 0);
    wait_for_end(thread);
    EXPECT_EQ(numbers->begun(thread), told.number);
    EXPECT_EQ(numbers->find(thread), told.number);
    ASSERT_EQ(pthread_join(thread, nullptr), 0);
    numbers->joined(thread, told.number);
    EXPECT_EQ(numbers->find(thread), 0);
  }
}

TEST(ThreadNumbers, OfAnEarlierThreadOfTheSameNameAreNotTold) {
  const auto numbers = std::make_unique<ThreadNumbers>();
  Told told{numbers.get()};
  pthread_t first{};
  ASSERT_EQ(pthread_create(&first, nullptr, tell_of_itself, &told), 0);
  wait_for_end(first);
  EXPECT_EQ(numbers->begun(first), told.number);
  ASSERT_EQ(pthread_join(first, nullptr), 0);  // and nobody says so
  pthread_t second{};
  ASSERT_EQ(pthread_create(&second, nullptr, say_nothing, nullptr), 0);
  wait_for_end(second);
  EXPECT_EQ(numbers->begun(second), 0);
  ASSERT_EQ(pthread_join(second, nullptr), 0);
}

TEST(ThreadNumbers, AreNotToldOfWhatIsNoThread) { EXPECT_EQ(ThreadNumbers::ask(0), 0); }

}  // namespace
}  // namespace weir::capture
