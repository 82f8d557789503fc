#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"
#include "transport/channel.hpp"
#include "transport/host.hpp"
#include "transport/loop_test.hpp"

// For tests only.
namespace weir::transport {

inline Bytes to_bytes(std::string_view text) {
  const ByteSpan span = as_bytes(text);
  return {span.begin(), span.end()};
}
inline std::string to_text(const Bytes& bytes) { return std::string(as_text(bytes)); }

// A server whose workers answer every request with itself, reversed.
class EchoServer {
 public:
  explicit EchoServer(HostOptions options) : workers_(options.workers) {
    auto made = Host::listen(options);
    if (!made) {
      ADD_FAILURE() << made.error().text();
      return;
    }
    host = std::move(*made);
    for (unsigned worker = 0; worker < options.workers; ++worker)
      host->serve(worker, [](std::uint64_t, Bytes request, Respond respond) {
        std::reverse(request.begin(), request.end());
        std::move(respond)(std::move(request));
      });
  }
  void start() {
    for (unsigned worker = 0; worker < workers_; ++worker) {
      threads.push_back(std::make_unique<LoopThread>());
      threads.back()->loop().add(host->source(worker));
      threads.back()->start();
    }
  }
  ~EchoServer() { stop(); }
  void stop() {
    for (auto& thread : threads) thread->stop();
    for (unsigned worker = 0; worker < threads.size(); ++worker)
      threads[worker]->loop().remove(host->source(worker));
    threads.clear();
    host.reset();
  }

  std::unique_ptr<Host> host;
  std::vector<std::unique_ptr<LoopThread>> threads;

 private:
  unsigned workers_;
};

// A place and a secret for a server and its clients.
struct Job {
  ScratchDir scratch;
  HostOptions host;
  ChannelOptions client;

  explicit Job(unsigned workers = 1, std::size_t area_bytes = 0) {
    host.socket = (scratch.path() / "run" / "server").string();
    host.secret = Secret::make();
    host.version = 7;
    host.workers = workers;
    host.area_bytes = area_bytes;
    client = {.socket = host.socket, .secret = host.secret, .version = 7, .resume = 0};
  }
  std::unique_ptr<Channel> connect(std::chrono::nanoseconds limit = std::chrono::seconds(20)) const {
    auto channel = Channel::connect(client, limit);
    if (!channel) {
      ADD_FAILURE() << channel.error().text();
      return nullptr;
    }
    return std::move(*channel);
  }
};

}  // namespace weir::transport
