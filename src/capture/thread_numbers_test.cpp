#include "capture/thread_numbers.hpp"

#include <memory>

#include <gtest/gtest.h>
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

TEST(ThreadNumbers, AreNotToldOfWhatIsNoThread) { EXPECT_EQ(ThreadNumbers::ask(0), 0); }

}  // namespace
}  // namespace weir::capture
