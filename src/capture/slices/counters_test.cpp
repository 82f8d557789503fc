#include "capture/slices/counters.hpp"

#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/folders.hpp"
#include "base/scratch_dir.hpp"
#include "capture/slices/kind.hpp"

namespace weir::capture {
namespace {

using trace::slices::Layer;
using trace::slices::Operation;

static_assert(slice_kind(Call::pwrite)->operation == Operation::write);
static_assert(slice_kind(Call::pwrite)->layer == Layer::posix);
static_assert(slice_kind(Call::fread)->operation == Operation::read);
static_assert(slice_kind(Call::fread)->layer == Layer::stdio);
static_assert(slice_kind(Call::open)->operation == Operation::open);
static_assert(slice_kind(Call::fclose)->operation == Operation::close);
static_assert(slice_kind(Call::fdatasync)->operation == Operation::sync);
static_assert(slice_kind(Call::unlink)->operation == Operation::names);
static_assert(!slice_kind(Call::lseek));
static_assert(!slice_kind(Call::execve));

constexpr std::int64_t kSlice = 10'000'000;

// Counts in a process of its own, which ends by the signal it sends itself.
template <class F>
void in_killed_child(const std::filesystem::path& directory, F count) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::setenv("WEIR_SLICES_DIR", directory.c_str(), 1);
    ::setenv("WEIR_SLICES_NS", "10000000", 1);
    count();
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

std::vector<trace::ProcessSlices> all_in(const std::filesystem::path& directory) {
  std::vector<trace::ProcessSlices> found;
  for (const std::string& name : names_in(directory)) {
    auto one = trace::read_slices(directory / name);
    EXPECT_TRUE(one) << one.error().text();
    if (one) found.push_back(*std::move(one));
  }
  return found;
}

TEST(SliceCounters, WhatWasCountedSurvivesAKill) {
  const ScratchDir scratch;
  in_killed_child(scratch.path(), [] {
    if (!SliceCounters::counting()) return;
    SliceCounters::add(Layer::posix, Operation::write, 5 * kSlice + 10, 5 * kSlice + 30, 100);
    SliceCounters::add(Layer::posix, Operation::write, 5 * kSlice + 40, 5 * kSlice + 50, 7);
    SliceCounters::add(Layer::stdio, Operation::close, 6 * kSlice - 1, 6 * kSlice, 0);  // ends in the next
    SliceCounters::add(Layer::posix, Operation::write, 9 * kSlice, 9 * kSlice + 1, 1);
    SliceCounters::add(Layer::posix, Operation::write, 8 * kSlice, 8 * kSlice + 1,
                       2);  // a thread that is late
  });
  const auto all = all_in(scratch.path());
  ASSERT_EQ(all.size(), 1U);
  const auto& slices = all[0].slices;
  EXPECT_EQ(all[0].slice_ns, kSlice);
  ASSERT_EQ(slices.size(), 3U) << "a slice in which nothing happened has no record";
  EXPECT_EQ(slices[0].begin_ns, 5 * kSlice);
  const auto& write = slices[0].counts[0][static_cast<std::size_t>(Operation::write)];
  EXPECT_EQ(write.calls, 2U);
  EXPECT_EQ(write.bytes, 107U);
  EXPECT_EQ(write.time_ns, 30U);
  EXPECT_EQ(slices[1].begin_ns, 6 * kSlice);
  EXPECT_EQ(slices[1].of(Operation::close).calls, 1U);
  EXPECT_EQ(slices[2].of(Operation::write).bytes, 3U);
}

TEST(SliceCounters, ThreadsAddUpAndAChildHasItsOwn) {
  const ScratchDir scratch;
  constexpr int kThreads = 4, kCalls = 10'000;
  in_killed_child(scratch.path(), [] {
    if (!SliceCounters::counting()) return;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([] {
        for (int i = 0; i < kCalls; ++i)
          SliceCounters::add(Layer::posix, Operation::read, i * 5000, i * 5000 + 10, 3);
      });
    for (std::thread& thread : threads) thread.join();
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      if (SliceCounters::counting()) SliceCounters::add(Layer::posix, Operation::write, 0, 1, 11);
      ::_exit(0);
    }
    ::waitpid(grandchild, nullptr, 0);
  });
  const auto all = all_in(scratch.path());
  ASSERT_EQ(all.size(), 2U);
  std::uint64_t read = 0, written = 0;
  for (const auto& process : all) {
    std::uint64_t here = 0;
    for (const auto& slice : process.slices) {
      read += slice.of(Operation::read).bytes;
      here += slice.of(Operation::write).bytes;
    }
    written += here;
    EXPECT_TRUE(here == 0 || process.slices.size() == 1) << "the child counts for itself alone";
  }
  EXPECT_EQ(read, std::uint64_t{3} * kThreads * kCalls);
  EXPECT_EQ(written, 11U);
}

TEST(SliceCounters, WithoutADirectoryNothingIsCounted) {
  const ScratchDir scratch;
  in_killed_child(scratch.path() / "missing", [] {
    for (int i = 0; i < 3; ++i)
      if (SliceCounters::counting()) ::_exit(1);
  });
  EXPECT_TRUE(names_in(scratch.path()).empty());
}

}  // namespace
}  // namespace weir::capture
