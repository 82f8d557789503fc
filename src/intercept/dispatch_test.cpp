#include "intercept/dispatch.hpp"

#include <cerrno>
#include <functional>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "intercept/variadic.hpp"

namespace weir {
namespace {

// A handler that notes each call and runs what a test asks for before and after the real one.
struct Noted {
  Call call;
  std::uint32_t depth;
};
std::vector<Noted> noted;
std::function<void()> before_real;
std::function<void()> after_real;

struct NotingHandler {
  template <Call C, class Real, class... Args>
  static auto around(Real real, Args... args) {
    noted.push_back({C, real.depth()});
    if (before_real) before_real();
    if constexpr (std::is_void_v<decltype(real(args...))>) {
      real(args...);
      if (after_real) after_real();
    } else {
      const auto result = real(args...);
      if (after_real) after_real();
      return result;
    }
  }
};

// What the generated shims are; not inlined, so that each call has a frame.
template <class Handler, Call C, Symbol S, class Signature, class... Args>
[[gnu::noinline]] auto shim(Args... args) {
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto result = Dispatch<Handler, C, S, Signature>::run(frame, args...);
  asm volatile("" ::: "memory");  // no tail call
  return result;
}

template <class Handler = NotingHandler>
ssize_t shim_read(int fd, void* buf, size_t count) {
  return shim<Handler, Call::read, Symbol::read, ssize_t(int, void*, size_t)>(fd, buf, count);
}
ssize_t shim_write(int fd, const void* buf, size_t count) {
  return shim<NotingHandler, Call::write, Symbol::write, ssize_t(int, const void*, size_t)>(fd, buf, count);
}
int shim_open(const char* path, int flags, mode_t mode) {
  return shim<NotingHandler, Call::open, Symbol::open64, int(const char*, int, mode_t)>(path, flags, mode);
}

class Dispatched : public testing::Test {
 protected:
  void SetUp() override {
    noted.clear();
    noted.reserve(64);
    before_real = nullptr;
    after_real = nullptr;
    ASSERT_EQ(pipe(ends_), 0);
  }
  void TearDown() override {
    close(ends_[0]);
    close(ends_[1]);
    EXPECT_EQ(Guard::current().depth(), 0U) << "a test left the guard open";
  }
  int ends_[2] = {-1, -1};
};

TEST_F(Dispatched, ReachesTheRealFunctionThroughTheHandler) {
  EXPECT_EQ(shim_write(ends_[1], "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(shim_read(ends_[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  ASSERT_EQ(noted.size(), 2U);
  EXPECT_EQ(noted[0].call, Call::write);
  EXPECT_EQ(noted[1].depth, 0U);
}

TEST_F(Dispatched, AVariadicCallPassesItsMode) {
  const int fd = shim_open("/dev/null", O_RDONLY, 0);
  EXPECT_GE(fd, 0);
  close(fd);
}

TEST_F(Dispatched, ErrnoIsWhatTheRealCallLeftWhateverTheHandlerDid) {
  before_real = after_real = [] { errno = 99; };
  errno = 5;
  EXPECT_EQ(shim_write(ends_[1], "x", 1), 1);
  EXPECT_EQ(errno, 5);
  EXPECT_EQ(shim_write(-1, "x", 1), -1);
  EXPECT_EQ(errno, EBADF);
}

struct AnsweringHandler {
  template <Call C, class Real, class... Args>
  static ssize_t around(Real real, Args...) {
    real.set_errno(ENOSPC);
    return -1;
  }
};

TEST_F(Dispatched, AHandlerMayAnswerInPlaceOfTheRealFunction) {
  errno = 0;
  EXPECT_EQ(shim_read<AnsweringHandler>(ends_[0], nullptr, 1), -1);
  EXPECT_EQ(errno, ENOSPC);
}

// Does a read by writing through a shim, as a walk over directories is done by opening them.
ssize_t read_by_writing(int fd, void* /*buf*/, size_t count) {
  errno = ERANGE;
  return shim_write(fd, "xyz", count);
}

struct OtherwiseHandler {
  template <Call C, class Real, class... Args>
  static ssize_t around(Real real, Args... args) {
    return real.by(&read_by_writing)(args...);
  }
};

TEST_F(Dispatched, AHandlerMayDoTheCallByAFunctionWhoseCallsAreHandled) {
  errno = 0;
  EXPECT_EQ(shim_read<OtherwiseHandler>(ends_[1], nullptr, 2), 2);
  EXPECT_EQ(errno, ERANGE);
  ASSERT_EQ(noted.size(), 1U);
  EXPECT_EQ(noted[0].call, Call::write);
  EXPECT_EQ(noted[0].depth, 1U);
}

struct QuietHandler {
  template <Call C, class Real, class... Args>
  static ssize_t around(Real real, Args... args) {
    return real.by(&read_by_writing).quietly(args...);
  }
};

TEST_F(Dispatched, WhatIsCalledInsideAQuietCallIsNeitherHandledNorCounted) {
  const std::uint64_t passed = Guard::current().passed();
  EXPECT_EQ(shim_read<QuietHandler>(ends_[1], nullptr, 2), 2);
  EXPECT_TRUE(noted.empty());
  EXPECT_EQ(Guard::current().passed(), passed);
}

TEST_F(Dispatched, TheHandlersOwnCallsGoStraightThrough) {
  const int other = ends_[1];
  before_real = after_real = [other] { EXPECT_EQ(shim_write(other, "own", 3), 3); };
  EXPECT_EQ(shim_write(ends_[1], "x", 1), 1);
  EXPECT_EQ(noted.size(), 1U);
}

int signal_fd = -1;
ssize_t written_in_signal = 0;
void write_in_signal(int) { written_in_signal = shim_write(signal_fd, "s", 1); }

class WithSignal : public Dispatched {
 protected:
  void SetUp() override {
    Dispatched::SetUp();
    signal_fd = ends_[1];
    written_in_signal = 0;
  }
  void TearDown() override {
    signal(SIGUSR1, SIG_DFL);
    Dispatched::TearDown();
  }
};

TEST_F(WithSignal, IoInAHandlerThatInterruptsOurWorkIsDoneAndNotHandled) {
  signal(SIGUSR1, write_in_signal);
  before_real = [] { raise(SIGUSR1); };
  EXPECT_EQ(shim_write(ends_[1], "x", 1), 1);
  EXPECT_EQ(written_in_signal, 1);
  EXPECT_EQ(noted.size(), 1U);
}

sigjmp_buf back;
void jump(int) { siglongjmp(back, 1); }

TEST_F(WithSignal, AJumpOutOfOurWorkDoesNotSilenceTheThread) {
  signal(SIGUSR1, jump);
  static int round;  // static: a local would be lost in the jump
  for (round = 0; round < 3; ++round) {
    before_real = [] { raise(SIGUSR1); };
    if (sigsetjmp(back, 1) == 0) {
      shim_write(ends_[1], "x", 1);
      FAIL() << "came back";
    }
    before_real = nullptr;
    EXPECT_EQ(shim_write(ends_[1], "y", 1), 1);
  }
  ASSERT_EQ(noted.size(), 6U);
  for (const Noted& n : noted) EXPECT_EQ(n.depth, 0U);
}

struct ExitingHandler {
  template <Call C, class Real, class... Args>
  static void around(Real real, Args... args) {
    real(args...);
  }
};

TEST_F(Dispatched, AVforkedChildThatExitsLeavesTheParentsGuardAsItWas) {
  // NOLINTBEGIN(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork): what programs do
  const pid_t child = vfork();
  if (child == 0) {
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    Dispatch<ExitingHandler, Call::_exit, Symbol::_exit, void(int)>::run(frame, 7);
    _exit(1);
  }
  // NOLINTEND(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork)
  EXPECT_EQ(Guard::current().depth(), 0U);
  EXPECT_FALSE(Guard::current().in_own_work());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(TakesMode, OnlyWhenAFileMayBeMade) {
  EXPECT_TRUE(takes_mode(O_CREAT | O_WRONLY));
  EXPECT_TRUE(takes_mode(O_TMPFILE | O_RDWR));
  EXPECT_FALSE(takes_mode(O_DIRECTORY | O_RDONLY));
  EXPECT_FALSE(takes_mode(O_RDWR | O_TRUNC));
}

}  // namespace
}  // namespace weir
