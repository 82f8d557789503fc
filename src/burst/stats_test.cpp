// What servers count: requests by kind, and where bytes went.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "burst/every_request_test.hpp"
#include "burst/test_cluster.hpp"

namespace weir::burst {
namespace {

std::set<std::string> names_counted(FileSystem& system) {
  std::set<std::string> names;
  for (const Counter& row : system.session().ask({0, 0}, GetStats{}).body.rows) names.insert(row.name);
  return names;
}

TEST(Stats, EveryKindOfRequestHasARow) {
  TestCluster cluster;
  const auto system = cluster.client();
  const auto counted = names_counted(*system);
  const auto has_a_row = [&](Kind kind) {
    const std::string name(name_of(kind));
    EXPECT_FALSE(name.empty()) << static_cast<int>(kind);
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), name.npos) << name;
    EXPECT_TRUE(counted.contains("rpcs." + name)) << name;
  };
  for_every_request([&](const auto& request) { has_a_row(request.kKind); });
  has_a_row(Kind::stop);
}

TEST(Stats, EveryRequestIsCountedUnderItsName) {
  TestCluster cluster;
  const auto system = cluster.client();
  for_every_request([&](const auto& request) {
    if (is_between_servers(request.kKind)) return;  // who is no server is dropped
    const std::string name = fmt::format("rpcs.{}", name_of(request.kKind));
    const std::uint64_t before = counter_of(*system, name);
    static_cast<void>(system->session().ask({0, 0}, request));
    EXPECT_GT(counter_of(*system, name), before) << name;
  });
}

TEST(Stats, WhatServersAskOfEachOtherIsCountedToo) {
  TestCluster cluster(2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  // Of any eight names some are the other server's.
  for (int i = 0; i < 8; ++i) {
    const auto name = fmt::format("f{}", i);
    const auto a = open_with(*one, name, "posix-lock");
    const auto b = open_with(*two, name, "posix-lock");
    EXPECT_EQ(write_text(*a, "aaaa", 0), 0);
    EXPECT_EQ(write_text(*b, "bb", 1), 0);
    EXPECT_EQ(a->flush(), 0);
    EXPECT_EQ(write_text(*open_with(*two, name + "x", "commit"), "over", 0), 0);
    EXPECT_EQ(one->rename(name, name + "x"), 0);
  }
  for (const char* const name : {"lock_seat", "lock_enter", "lock_to_owner", "lock_from_owner", "lock_flush",
                                 "write_back", "put_name", "set_path", "drop_name", "segment"})
    EXPECT_GT(counter_of(*one, fmt::format("rpcs.{}", name)), 0U) << name;
}

TEST(Stats, OneMessageAttachesAllThatWasWritten) {
  constexpr std::uint64_t kWrites = 1000;
  TestCluster cluster(2);
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  for (const char* const model : {"commit", "session", "none"}) {
    const auto file = open_with(*one, model, model);
    for (std::uint64_t i = 0; i < kWrites; ++i)
      ASSERT_EQ(write_text(*file, "xy", 5 * ((i * 7) % kWrites)), 0);
    const std::uint64_t before = counter_of(*one, "rpcs.attach");
    if (model == std::string_view("commit")) {
      EXPECT_EQ(file->sync(consistency::Operation::fsync), 0);
    } else if (model == std::string_view("session")) {
      EXPECT_EQ(file->close(), 0);
    } else {
      EXPECT_EQ(file->attach_all(), 0);
    }
    EXPECT_EQ(counter_of(*one, "rpcs.attach"), before + 1) << model;
    std::vector<Extent> extents;
    EXPECT_EQ(open_with(*two, model, "none")->owners(kWholeFile, extents), 0);
    EXPECT_EQ(extents.size(), kWrites) << model;
  }
}

TEST(Stats, OnlyBytesOfOtherNodesAreAskedOfAgents) {
  constexpr std::uint64_t kBytes = 300'000;
  for (const char* const model : {"session", "posix", "posix-lock"}) {
    TestCluster cluster(2);
    const auto writer_system = cluster.client(0);
    const auto writer = open_with(*writer_system, "f", model);
    ASSERT_EQ(write_text(*writer, std::string(kBytes, 'w'), 10), 0);
    ASSERT_EQ(writer->close(), 0);

    const auto same = cluster.client(0);
    EXPECT_EQ(read_text_at(*open_with(*same, "f", model), kBytes, 10), std::string(kBytes, 'w'));
    EXPECT_EQ(counter_of(*same, "bytes.peer_read"), 0U) << model;
    EXPECT_EQ(counter_of(*same, "rpcs.fetch"), 0U) << model;

    const auto other = cluster.client(1);
    EXPECT_EQ(read_text_at(*open_with(*other, "f", model), kBytes, 10), std::string(kBytes, 'w'));
    EXPECT_EQ(counter_of(*other, "bytes.peer_read"), kBytes) << model;
    EXPECT_EQ(counter_of(*other, "rpcs.fetch"), 1U) << model;
  }
}

}  // namespace
}  // namespace weir::burst
