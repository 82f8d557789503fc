#include "burst/meeting.hpp"

#include <array>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/scratch_dir.hpp"
#include "burst/this_node.hpp"

namespace weir::burst {
namespace {

class MeetingTest : public ::testing::Test {
 protected:
  MeetingTest() {
    job_.id = "now";
    job_.limit_ms = 20'000;
    job_.servers.resize(2);
    job_.servers[0].host = "n01";
    job_.servers[1].host = "n02";
    EXPECT_TRUE(job_.write(file_));
  }

  ScratchDir folder_;
  const std::filesystem::path file_ = folder_.path() / "job.json";
  Job job_;
};

TEST_F(MeetingTest, AllHaveTheAddressesOfAll) {
  std::optional<Result<Job>> other;
  std::thread second([&] { other = meet(file_, job_, 1, {"127.0.0.1:2"}); });
  const auto first = meet(file_, job_, 0, {"127.0.0.1:1"});
  second.join();
  ASSERT_TRUE(first);
  ASSERT_TRUE(*other);
  for (const Job& job : {*first, **other, Job::read(file_).value()}) {
    EXPECT_EQ(job.servers[0].addresses, std::vector<std::string>{"127.0.0.1:1"});
    EXPECT_EQ(job.servers[1].addresses, std::vector<std::string>{"127.0.0.1:2"});
  }
}

TEST_F(MeetingTest, WhatAnotherJobHasLeftBesideTheFileIsNotHeard) {
  Job before = job_;
  before.id = "before";
  before.limit_ms = 1;
  EXPECT_FALSE(meet(file_, before, 1, {"127.0.0.1:9"}));  // leaves its address there
  ASSERT_TRUE(std::filesystem::exists(addresses_beside(file_, 1)));
  EXPECT_FALSE(arrival_of(file_, job_, 1));
  job_.limit_ms = 50;
  const auto alone = meet(file_, job_, 0, {"127.0.0.1:1"});
  EXPECT_FALSE(alone);
  EXPECT_FALSE(Job::read(file_).value().has_all_addresses());
}

TEST_F(MeetingTest, RubbishBesideTheFileIsNotHeard) {
  for (const std::string text :
       {"", "[", "[]", "7", R"({"id":7})", R"({"id":"now"})", R"({"id":"now","addresses":7})",
        R"({"id":"now","addresses":["a","b"]})", R"({"id":"now","failure":[]})"}) {
    ASSERT_TRUE(replace_file(addresses_beside(file_, 1), as_bytes(text), 0600));
    EXPECT_FALSE(arrival_of(file_, job_, 1)) << text;
  }
}

TEST_F(MeetingTest, AFailureIsToldWithTheHost) {
  EXPECT_FALSE(failure_of_server(file_, job_));
  tell_failure(file_, job_, 1, Error{Errc::io, "no such device"});
  const auto why = failure_of_server(file_, job_);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->text(), "server 1 on n02: no such device");
  forget_arrivals(file_, 2);
  EXPECT_FALSE(failure_of_server(file_, job_));
}

TEST_F(MeetingTest, AFailureOfBeforeIsForgottenWhenTheServerComes) {
  tell_failure(file_, job_, 1, Error{Errc::io, "no such device"});
  std::thread second([&] { EXPECT_TRUE(meet(file_, job_, 1, {"127.0.0.1:2"})); });
  EXPECT_TRUE(meet(file_, job_, 0, {"127.0.0.1:1"}));
  second.join();
}

TEST_F(MeetingTest, NobodyWaitsForServersOfAJobThatHasLostItsFile) {
  Job other = job_;
  other.id = "other";
  ASSERT_TRUE(other.write(file_));
  const auto alone = meet(file_, job_, 1, {"127.0.0.1:2"});
  ASSERT_FALSE(alone);
  EXPECT_NE(alone.error().text().find("other"), std::string::npos);
}

TEST(ThisNode, IsFoundByTheHostsNameWithOrWithoutItsDomain) {
  std::array<char, 256> name{};
  ASSERT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  const std::string here = name.data();
  Job job;
  job.servers.resize(3);
  for (auto& server : job.servers) server.listen = server.host = "elsewhere";
  EXPECT_TRUE(servers_of_this_host(job).empty());
  EXPECT_FALSE(server_of_this_node(job));
  job.servers[2].host = here;
  EXPECT_EQ(servers_of_this_host(job), std::vector{2U});
  EXPECT_EQ(server_of_this_node(job).value(), 2U);
  job.servers[2].host = here + "x";
  EXPECT_TRUE(servers_of_this_host(job).empty());
  if (here.find('.') == std::string::npos) {
    job.servers[2].host = here + ".example";
    EXPECT_EQ(servers_of_this_host(job), std::vector{2U});
  }
}

}  // namespace
}  // namespace weir::burst
