// What the parts of transport_bench share: times, and measurements in pairs of child processes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

[[noreturn]] void stop(std::string_view why);

// Microseconds of each operation.
class Latencies {
 public:
  Latencies() = default;
  explicit Latencies(std::vector<double> times) : times_(std::move(times)) {}
  template <class F>
  void time(F operation) {
    const auto begin = std::chrono::steady_clock::now();
    operation();
    add(std::chrono::steady_clock::now() - begin);
  }
  void add(std::chrono::nanoseconds time) { times_.push_back(static_cast<double>(time.count()) / 1000); }
  double quantile(double share) const {
    if (times_.empty()) return 0;
    std::vector<double> sorted = times_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[std::min(sorted.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
  }
  double median() const { return quantile(0.5); }
  const std::vector<double>& all() const { return times_; }

 private:
  std::vector<double> times_;
};

// Two ends of a network: loopback, or two namespaces with a pair of virtual devices.
struct Network {
  bool namespaces = false;
  const char* server = "127.0.0.1:0";
  const char* client = "127.0.0.1:0";
};

// One process serves and says where, another measures. `serve` gets what to call with the address and must
// not return; `measure` gets the address. Nothing comes back where namespaces cannot be made.
Latencies measure_pair(const Network& network,
                       const std::function<void(const std::function<void(const std::string&)>& ready)>& serve,
                       const std::function<Latencies(const std::string& address)>& measure);

// `size` bytes there, none back, `calls` times: with UCX alone, and with the fabric.
Latencies time_raw_ucx(const Network& network, int calls, std::size_t size);
Latencies time_fabric(const Network& network, int calls, std::size_t size);
