#pragma once

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "burst/test_cluster.hpp"

namespace weir::burst {

// Clients of both nodes append lines to one file at the same time: each line is there once, whole.
inline void expect_appends_apart(TestCluster& cluster, std::string_view model, int each) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&cluster, model, each, i] {
      const auto system = cluster.client(static_cast<std::uint32_t>(i % 2));
      const auto file = open_with(*system, "log", model, O_WRONLY | O_CREAT | O_APPEND);
      const std::string line(8, static_cast<char>('a' + i));
      for (int n = 0; n < each; ++n) EXPECT_EQ(file->write(bytes_of(line)).error, 0);
      if (model == "none") {
        EXPECT_EQ(file->attach_all(), 0);
      }
    });
  for (std::thread& thread : threads) thread.join();
  const auto system = cluster.client();
  const auto file = open_with(*system, "log", model);
  if (model == "none") {
    EXPECT_EQ(file->query_all(), 0);
  }
  const std::string all = read_text_at(*file, 10'000, 0);
  ASSERT_EQ(all.size(), 3U * 8U * static_cast<std::size_t>(each));
  std::array<int, 3> found{};
  for (std::size_t i = 0; i < all.size(); i += 8) {
    ASSERT_EQ(all.substr(i, 8), std::string(8, all[i]));
    ++found.at(static_cast<std::size_t>(all[i] - 'a'));
  }
  EXPECT_EQ(found, (std::array<int, 3>{each, each, each}));
}

}  // namespace weir::burst
