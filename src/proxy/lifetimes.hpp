#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "proxy/plan.hpp"
#include "trace/record.hpp"

namespace weir::proxy {

// Who opened the handles that a process uses. What no call opened the program had from its start; what
// another stream opened must be waited for, and stay open until it is no longer used.
class Lifetimes {
 public:
  // The outer calls of all streams, one stream after the other. `call` counts those of the stream.
  void begin_stream(std::size_t stream);
  void add(const trace::Record& record, std::uint64_t call);
  void end_stream();

  // Adds the actions that follow to the streams' own, and puts those in order. How many handles are shared.
  std::uint32_t finish(ProcessPlan& process, bool timed);

 private:
  // Uses of one handle by one stream, from its opening or the first use to its closing or the last.
  struct Segment {
    std::size_t stream = 0;
    std::int64_t id = 0;
    bool opens = false;
    bool closes = false;
    std::uint64_t first_call = 0;
    std::uint64_t last_call = 0;
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;
    std::int64_t descriptor = -1;
    std::string name = {};
  };
  struct Span {
    std::int64_t first_ns = INT64_MAX;
    std::int64_t last_ns = 0;
  };

  void open(const trace::Record& record, std::uint64_t call, std::int64_t id);
  void use(const trace::Record& record, std::uint64_t call, const trace::Value& value, bool closes);
  void start_and_join(ProcessPlan& process, bool timed) const;

  std::size_t stream_ = 0;
  std::map<std::int64_t, Segment> current_;
  std::vector<Segment> segments_;
  std::vector<std::int64_t> main_starts_;  // of the calls of the main stream
  std::vector<Span> spans_;
};

}  // namespace weir::proxy
