#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "transport/host_test.hpp"
#include "transport/loop_test.hpp"
#include "transport/ucx_fabric.hpp"

// For tests only.
namespace weir::transport {

// A server in a thread of its own. "drop" is not answered, "keep" is kept, "no message" is blamed; everything
// else comes back with the asker's number before it.
class UcxServer {
 public:
  explicit UcxServer(const UcxOptions& options) {
    auto made = UcxFabric::make(thread.loop(), options);
    if (!made) {
      ADD_FAILURE() << made.error().text();
      return;
    }
    fabric = std::move(*made);
    fabric->serve([this](std::uint32_t from, Bytes request, Respond respond) {
      ++handled;
      if (as_text(request) == "drop") return;
      if (as_text(request) == "no message") return std::move(respond).blame(to_bytes("what?"));
      if (as_text(request) == "keep") {
        kept.push_back(std::move(respond));
        return;
      }
      const std::string prefix = fmt::format("{}:", from);
      request.insert(request.begin(), as_bytes(prefix).begin(), as_bytes(prefix).end());
      std::move(respond)(std::move(request));
    });
    thread.loop().add(*fabric);
    thread.start();
  }
  ~UcxServer() {
    thread.stop();
    kept.clear();
    if (!fabric) return;
    thread.loop().remove(*fabric);
    fabric.reset();
  }
  void set_peers(std::vector<std::string> addresses, std::uint32_t self) {
    thread.run([&] { fabric->set_peers(addresses, self); });
  }
  std::future<Result<Bytes>> begin_call(std::uint32_t to, Bytes request,
                                        std::chrono::nanoseconds limit = std::chrono::seconds(20)) {
    auto end = std::make_shared<std::promise<Result<Bytes>>>();
    thread.loop().post([this, to, end, limit, request = std::move(request)] {
      fabric->call(to, request, limit, [end](Result<Bytes> result) { end->set_value(std::move(result)); });
    });
    return end->get_future();
  }
  Result<Bytes> call(std::uint32_t to, Bytes request,
                     std::chrono::nanoseconds limit = std::chrono::seconds(20)) {
    return begin_call(to, std::move(request), limit).get();
  }
  UcxFabric::Counts counts() {
    return thread.run([&] { return fabric->counts(); });
  }

  LoopThread thread;
  std::unique_ptr<UcxFabric> fabric;
  std::atomic<int> handled = 0;
  std::vector<Respond> kept;
};

}  // namespace weir::transport
