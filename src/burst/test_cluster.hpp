#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"
#include "burst/client/file_system.hpp"
#include "burst/server.hpp"
#include "burst/server_protocol.hpp"
#include "transport/in_process.hpp"

namespace weir::burst {

// Messages between servers overtake each other, come twice or not at all.
inline constexpr transport::Faults kBadNetwork = {.shortest_delay = {},
                                                  .longest_delay = std::chrono::microseconds(200),
                                                  .drop = 0.01,
                                                  .duplicate = 0.05,
                                                  .reorder = true};
// After how many ms without an answer a server is asked again; soon: where many answers are lost.
inline constexpr std::uint64_t kLaterAgain = 50;
inline constexpr std::uint64_t kSoonAgain = 5;

// Servers of a job in this process, each a node of its own, on a network that may misbehave. For tests.
class TestCluster {
 public:
  explicit TestCluster(std::uint32_t servers = 1, std::uint32_t workers = 1, transport::Faults faults = {},
                       std::uint64_t seed = 1, lock::Options locks = {}, std::uint64_t again_ms = kLaterAgain)
      : net_(seed, faults), servers_(servers) {
    std::filesystem::create_directories(backing());
    job_.id = "test";
    job_.secret = transport::Secret::make();
    job_.mount = job_.backing = backing();
    job_.workers = workers;
    job_.limit_ms = 20'000;
    job_.again_ms = again_ms;
    job_.locks = locks;
    for (std::uint32_t i = 0; i < servers; ++i) {
      JobServer row;
      row.host = "node" + std::to_string(i);
      row.directory = scratch_.path() / row.host;
      job_.servers.push_back(row);
    }
    for (std::uint32_t i = 0; i < servers; ++i) make(i);
    for (auto& server : servers_) server->start(addresses_);
  }

  Job& job() { return job_; }
  std::filesystem::path backing() const { return scratch_.path() / "backing"; }
  transport::InProcessNet& net() { return net_; }
  Server& server(std::uint32_t number) { return *servers_[number]; }

  std::unique_ptr<FileSystem> client(std::uint32_t node = 0) {
    auto system = FileSystem::connect(job_, node);
    EXPECT_TRUE(system) << system.error().text();
    return std::move(*system);
  }

  // As if it had been killed and started again: only its files tell it what was.
  void restart(std::uint32_t number) {
    servers_[number].reset();
    make(number);
    servers_[number]->start(addresses_);
  }
  void kill(std::uint32_t number) { servers_[number].reset(); }

 private:
  void make(std::uint32_t number) {
    std::uint32_t worker = 0;
    auto server =
        Server::make(job_, number, [&](transport::Loop& loop) -> Result<std::unique_ptr<transport::Fabric>> {
          return net_.make(loop, "mem:" + std::to_string(number) + "." + std::to_string(worker++));
        });
    ASSERT_TRUE(server) << server.error().text();
    servers_[number] = std::move(*server);
    addresses_.resize(servers_.size());
    addresses_[number] = servers_[number]->addresses();
  }

  ScratchDir scratch_;
  Job job_;
  transport::InProcessNet net_;
  std::vector<std::vector<std::string>> addresses_;
  std::vector<std::unique_ptr<Server>> servers_;
};

inline ByteSpan bytes_of(std::string_view text) { return as_bytes(text); }

inline int write_text(File& file, std::string_view text, std::uint64_t offset) {
  return file.pwrite(bytes_of(text), offset).error;
}

inline std::string read_text_at(File& file, std::size_t bytes, std::uint64_t offset) {
  std::string text(bytes, '?');
  const Transfer done = file.pread(std::as_writable_bytes(std::span(text)), offset);
  if (done.error != 0) return "error " + std::to_string(done.error);
  text.resize(done.bytes);
  return text;
}

// A row of the statistics, of all servers together.
inline std::uint64_t counter_of(FileSystem& system, std::string_view name) {
  const Layout layout = system.session().job().layout();
  std::uint64_t sum = 0;
  for (std::uint32_t server = 0; server < layout.servers; ++server)
    for (std::uint32_t worker = 0; worker < layout.workers; ++worker) {
      const auto answer = system.session().ask({server, worker}, GetStats{});
      EXPECT_EQ(answer.error, 0);
      for (const Counter& row : answer.body.rows)
        if (row.name == name) sum += row.value;
    }
  return sum;
}

inline std::shared_ptr<File> open_with(FileSystem& system, std::string_view path, std::string_view model,
                                       int flags = O_RDWR | O_CREAT) {
  const auto policy = find_policy(model);
  EXPECT_TRUE(policy);
  auto opened = system.open(path, flags, 0600, *policy);
  EXPECT_EQ(opened.error, 0) << path;
  return opened.body;
}

}  // namespace weir::burst
