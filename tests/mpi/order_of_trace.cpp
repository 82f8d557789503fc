// What is proven about the order of a traced run on one machine, against its time stamps: what happened
// before something else must have ended by the time that began. For traces with exact times, whose processes
// share a clock.
//   order_of_trace DIR          prints counts, what is unmatched, and each contradiction; exit 1 if there is
//   one
#include <cstdint>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "base/random.hpp"
#include "semantics/order/order.hpp"
#include "trace/record_text.hpp"
#include "trace/trace_file.hpp"

namespace {

using namespace weir;
using semantics::Event;

struct TracedCall {
  Event event;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::string text;
};

std::vector<TracedCall> read_calls(const trace::TraceFile& trace) {
  std::vector<TracedCall> calls;
  for (std::uint32_t p = 0; p < trace.processes().size(); ++p)
    for (std::uint32_t s = 0; s < trace.processes()[p].streams.size(); ++s) {
      trace::RecordReader reader(trace, p, s);
      trace::Record record;
      while (reader.next(record)) {
        fmt::memory_buffer text;
        trace::append_call(text, record);
        calls.push_back({{p, s, record.index},
                         record.start_ns,
                         record.start_ns + static_cast<std::int64_t>(record.duration_ns),
                         to_string(text)});
      }
    }
  return calls;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto trace = trace::TraceFile::open(argv[1]);
  if (!trace) {
    fmt::print(stderr, "{}\n", trace.error().text());
    return 2;
  }
  const auto order = semantics::Order::of(*trace);
  if (!order) {
    fmt::print(stderr, "{}\n", order.error().text());
    return 2;
  }
  const std::vector<TracedCall> calls = read_calls(*trace);
  constexpr std::uint64_t kMostPairs = 4'000'000;
  const std::uint64_t all = calls.size() * calls.size();
  Random random(1);
  std::uint64_t ordered = 0;
  std::uint64_t crossing = 0;
  std::uint64_t wrong = 0;
  const auto look = [&](const TracedCall& a, const TracedCall& b) {
    if (!order->before(a.event, b.event)) return;
    ++ordered;
    if (a.event.process != b.event.process) ++crossing;
    if (a.end <= b.start) return;
    if (wrong++ < 20)
      fmt::print("wrong by {} ns: {} {}, {} {}\n", a.end - b.start, a.event.process, a.text, b.event.process,
                 b.text);
  };
  if (all <= kMostPairs) {
    for (const TracedCall& a : calls)
      for (const TracedCall& b : calls) look(a, b);
  } else {
    for (std::uint64_t i = 0; i < kMostPairs; ++i)
      look(calls[random.below(calls.size())], calls[random.below(calls.size())]);
  }
  fmt::print(
      "proven {}\nmpi_calls {}\nedges {}\npairs {}\nordered {}\nbetween_processes {}\nunmatched {}\nwrong "
      "{}\n",
      order->is_proven() ? 1 : 0, order->mpi_calls(), order->edges(), std::min(all, kMostPairs), ordered,
      crossing, order->unmatched_count(), wrong);
  for (const auto& one : order->unmatched())
    fmt::print("alone: {} {} {}: {}\n", one.event.process, one.event.record, one.function, one.why);
  for (const std::string& note : order->notes()) fmt::print("note: {}\n", note);
  for (const std::int64_t rank : order->missing_ranks()) fmt::print("missing: {}\n", rank);
  return wrong == 0 ? 0 : 1;
}
