#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <unordered_map>

#include "base/result.hpp"
#include "transport/fabric.hpp"
#include "transport/loop.hpp"

namespace weir::transport::detail {

// The calls of one fabric that have no answer yet. Each ends exactly once: by finish(), by its limit, or with
// this.
class PendingCalls {
 public:
  // Told after a call has ended because its limit has passed: which peer did not answer, and since when.
  using OnTimeout = std::function<void(std::uint32_t to, std::chrono::steady_clock::time_point since)>;

  explicit PendingCalls(Loop& loop, OnTimeout on_timeout = {});
  PendingCalls(const PendingCalls&) = delete;
  PendingCalls& operator=(const PendingCalls&) = delete;
  ~PendingCalls();

  // `way`: by which connection, or whatever else may fail for many calls at once.
  std::uint64_t add(std::uint32_t to, std::uint64_t way, std::chrono::nanoseconds limit, Fabric::Done done);
  // An id that has ended already, or never was, is ignored: answers come late and twice.
  void finish(std::uint64_t id, Result<Bytes> result);
  void fail_all_on(std::uint64_t way, const Error& why);
  bool has(std::uint64_t id) const { return calls_.contains(id); }
  bool empty() const { return calls_.empty(); }

 private:
  struct Call {
    std::uint32_t to;
    std::uint64_t way;
    std::chrono::steady_clock::time_point since;
    TimerId timer;
    Fabric::Done done;
  };
  void end_by_limit(std::uint64_t id, std::chrono::nanoseconds limit);

  Loop& loop_;
  OnTimeout on_timeout_;
  std::unordered_map<std::uint64_t, Call> calls_;
};

}  // namespace weir::transport::detail
