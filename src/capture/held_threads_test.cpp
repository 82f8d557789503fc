#include "capture/held_threads.hpp"

#include <atomic>
#include <memory>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir::capture {
namespace {

class Detached {
 public:
  Detached() {
    pthread_attr_init(&attributes_);
    pthread_attr_setdetachstate(&attributes_, PTHREAD_CREATE_DETACHED);
  }
  ~Detached() { pthread_attr_destroy(&attributes_); }
  Detached(const Detached&) = delete;
  Detached& operator=(const Detached&) = delete;

  int make(HeldThreads& held, pthread_t* thread, HeldThreads::Start start, void* argument) const {
    return held.make([&](HeldThreads::Start begins,
                         void* given) { return pthread_create(thread, &attributes_, begins, given); },
                     thread, start, argument);
  }
  const pthread_attr_t* attributes() const { return &attributes_; }

 private:
  pthread_attr_t attributes_{};
};

// What the program knows of a thread, on a page that the thread itself gives back at once.
struct Page {
  pthread_t thread{};
  std::atomic<std::int64_t>* number = nullptr;
};

void* give_back(void* argument) {
  auto* const page = static_cast<Page*>(argument);
  std::atomic<std::int64_t>* const number = page->number;
  munmap(page, 4096);
  *number = syscall(SYS_gettid);
  return nullptr;
}

TEST(HeldThreads, AreAskedForTheirNumberBeforeTheyCanBeGone) {
  const Detached detached;
  EXPECT_TRUE(is_detached(detached.attributes()));
  EXPECT_FALSE(is_detached(nullptr));
  static HeldThreads held;                  // outlives the threads, which leave it last
  for (int turn = 0; turn < 200; ++turn) {  // more than can be held at once
    std::atomic<std::int64_t> number{0};
    auto* const page =
        static_cast<Page*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    page->number = &number;
    ASSERT_EQ(detached.make(held, &page->thread, give_back, page), 0);
    const std::int64_t told = HeldThreads::last_number;
    while (number == 0) sched_yield();
    EXPECT_EQ(told, number);
  }
}

void* nothing(void* /*argument*/) { return nullptr; }

TEST(HeldThreads, ThatCannotBeMadeAreNotHeld) {
  static HeldThreads held;  // outlives the threads, which leave it last
  pthread_t thread{};
  for (int turn = 0; turn < 200; ++turn) {
    const auto fails = [](HeldThreads::Start, void*) { return EAGAIN; };
    EXPECT_EQ(held.make(fails, &thread, nothing, nullptr), EAGAIN);
    EXPECT_EQ(HeldThreads::last_number, 0);
  }
  const Detached detached;
  EXPECT_EQ(detached.make(held, &thread, nothing, nullptr), 0);
  EXPECT_NE(HeldThreads::last_number, 0);
}

}  // namespace
}  // namespace weir::capture
