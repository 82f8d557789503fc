#include "workload/stripe.hpp"

#include <csignal>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/scratch_dir.hpp"
#include "base/unique_fd.hpp"
#include "workload/detail/test_help.hpp"
#include "workload/detail/write_fully.hpp"

namespace weir::workload {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

StripeJob job_over(const fs::path& directory, int targets) {
  StripeJob job;
  for (int i = 0; i < targets; ++i) {
    job.targets.push_back(directory / std::to_string(i));
    fs::create_directories(job.targets.back());
  }
  return job;
}

void expect_nothing_left(const StripeJob& job) {
  for (const fs::path& target : job.targets) {
    if (!fs::exists(target)) continue;
    EXPECT_THAT(test::names_in(target), testing::IsEmpty());
  }
}

TEST(Stripe, TargetsGetTheirStripes) {
  ScratchDir scratch;
  StripeJob job = job_over(scratch.path(), 3);
  job.stripe = Bytes(1000);
  job.size = Bytes(7 * 1000 + 10);  // stripes 0 3 6, 1 4 and the short one, 2 5
  job.keep = true;
  const auto outcome = write_striped(job);
  ASSERT_TRUE(outcome) << outcome.error().text();
  ASSERT_EQ(outcome->parts.size(), 3U);
  EXPECT_EQ(outcome->parts[0].bytes, Bytes(3000));
  EXPECT_EQ(outcome->parts[1].bytes, Bytes(2010));
  EXPECT_EQ(outcome->parts[2].bytes, Bytes(2000));
  Nanoseconds slowest;
  for (std::size_t i = 0; i < 3; ++i) {
    std::uint64_t size = 0;
    for (const auto& entry : fs::recursive_directory_iterator(job.targets[i]))
      if (entry.is_regular_file()) size += entry.file_size();
    EXPECT_EQ(Bytes(size), outcome->parts[i].bytes);
    slowest = std::max(slowest, outcome->parts[i].write);
  }
  EXPECT_EQ(outcome->total, slowest);
  EXPECT_GT(outcome->total.count, 0);
}

TEST(Stripe, OneTargetHidesItsParts) {
  ScratchDir scratch;
  StripeJob job = job_over(scratch.path(), 1);
  job.size = Bytes(300'000);
  const auto outcome = write_striped(job);
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_TRUE(outcome->parts.empty());
  EXPECT_GT(outcome->total.count, 0);
  expect_nothing_left(job);
}

TEST(Stripe, WhatIsWrittenIsCountedByTheKernel) {
  ScratchDir scratch;
  const std::string said = test::in_child([&]() -> std::string {
    StripeJob job = job_over(scratch.path(), 4);
    job.size = Bytes(3 << 20);
    job.stripe = Bytes(1 << 16);
    (void)write_striped(job);  // what a sanitizer does once is done
    (void)test::traffic();
    const auto before = test::traffic();
    if (auto done = write_striped(job); !done) return done.error().text();
    return std::to_string(test::traffic().written - before.written);
  });
  EXPECT_EQ(said, std::to_string(3 << 20));
}

TEST(Stripe, PartialWritesAreContinued) {
  ScratchDir scratch;
  std::vector<std::byte> bytes(100'003);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 >> 3U);
  const fs::path file = scratch.path() / "f";
  const UniqueFd fd(::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  ASSERT_EQ(detail::write_fully(fd.get(), bytes, 4096), 0);
  std::vector<std::byte> back(bytes.size() + 1);
  ASSERT_EQ(::pread(fd.get(), back.data(), back.size(), 0), static_cast<ssize_t>(bytes.size()));
  back.pop_back();
  EXPECT_EQ(back, bytes);
}

// The kernel writes up to the limit and says so; only the next call fails. Who stops there has lost data.
TEST(Stripe, AWriteCutShortIsAnError) {
  ScratchDir scratch;
  const std::string said = test::in_child([&]() -> std::string {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{300'000, 300'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    StripeJob job = job_over(scratch.path(), 2);
    job.size = Bytes(1 << 20);
    job.stripe = Bytes(1 << 16);
    const auto outcome = write_striped(job);
    expect_nothing_left(job);
    return outcome ? "went well" : outcome.error().text();
  });
  EXPECT_THAT(said, HasSubstr("target 0: "));
  EXPECT_THAT(said, HasSubstr("File too large"));
}

TEST(Stripe, ATargetThatDisappearedIsNamed) {
  ScratchDir scratch;
  StripeJob job = job_over(scratch.path(), 3);
  job.size = Bytes(3 << 20);
  fs::remove(job.targets[1]);
  auto outcome = write_striped(job);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().text(), HasSubstr("target 1: " + job.targets[1].string()));
  EXPECT_THAT(outcome.error().text(), HasSubstr("No such file"));
  std::ofstream(job.targets[1]) << "now a file";
  outcome = write_striped(job);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().text(), HasSubstr("is no directory"));
  fs::remove(job.targets[1]);
  expect_nothing_left(job);
}

TEST(Stripe, SenselessJobsAreRefused) {
  ScratchDir scratch;
  const auto refusal = [&](auto change) {
    StripeJob job = job_over(scratch.path(), 2);
    change(job);
    const auto outcome = write_striped(job);
    return outcome ? std::string("accepted") : outcome.error().text();
  };
  EXPECT_THAT(refusal([](StripeJob& job) { job.targets.clear(); }), HasSubstr("at least one directory"));
  EXPECT_THAT(refusal([](StripeJob& job) { job.stripe = Bytes(0); }), HasSubstr("more than 0"));
  EXPECT_THAT(refusal([](StripeJob& job) { job.size = job.stripe; }), HasSubstr("do not reach 2 targets"));
  EXPECT_THAT(refusal([](StripeJob& job) {
                job.direct = true;
                job.stripe = Bytes(1000);
              }),
              HasSubstr("multiples of 512"));
}

}  // namespace
}  // namespace weir::workload
