#pragma once

// MPI programs made by hand for tests: what each rank called, with the arguments and results that decide an
// order.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"
#include "semantics/order/order.hpp"
#include "trace/made_run_test.hpp"
#include "trace/trace_file.hpp"

namespace weir::semantics::made {

using namespace trace::made;  // NOLINT(google-build-using-namespace): parts of calls

inline constexpr int kAny = -1000;   // MPI_ANY_SOURCE, MPI_ANY_TAG
inline constexpr int kNull = -1001;  // MPI_PROC_NULL

inline Part rank_part(int rank) {
  if (rank == kAny) return text("MPI_ANY_SOURCE");
  return rank == kNull ? text("MPI_PROC_NULL") : literal(rank);
}
inline Part tag_part(int tag) { return tag == kAny ? text("MPI_ANY_TAG") : literal(tag); }
inline Part status_part(int source, int tag) {
  return source == kNull ? absent() : status(trace::Encoding::literal, source, tag);
}

// Id 0 is the world, others were made by communicator().
inline Part comm_part(std::uint32_t id) { return id == 0 ? text("MPI_COMM_WORLD") : literal(id); }

// A message that completed: whose, and with which tag.
struct Came {
  int source = kNull;
  int tag = 0;
};

class Program {
 public:
  explicit Program(int ranks, bool timed = false, const std::vector<int>& absent_ranks = {}) : timed_(timed) {
    lanes_.resize(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      bool there = true;
      for (const int one : absent_ranks) there = there && one != rank;
      if (!there) continue;
      process_.emplace(rank, static_cast<std::uint32_t>(process_.size()));
      Thread& made = thread(rank, 0);
      made.lane->program("/bin/app", "/scratch", std::string("app\0", 4));
      made.lane->thread(number_of(rank));
      made.lane->rank(rank, ranks, 0, 0);
    }
  }

  static std::uint64_t number_of(int rank) { return 5000 + 10 * static_cast<std::uint64_t>(rank); }

  int ranks() const { return static_cast<int>(lanes_.size()); }
  void communicator(int rank, std::uint32_t id, std::uint32_t own_rank,
                    const std::vector<trace::live::RankRun>& members,
                    const std::vector<trace::live::RankRun>& remote = {}) {
    thread(rank, 0).lane->communicator(id, own_rank, members, remote);
  }
  // A further thread of the process.
  void add_thread(int rank, int number) {
    thread(rank, number).lane->thread(number_of(rank) + static_cast<std::uint64_t>(number));
  }
  void on_thread(int number) { current_ = number; }

  Event call(int rank, std::string_view name, const std::vector<Part>& arguments,
             const Part& result = literal(0), std::uint32_t depth = 0) {
    Thread& made = thread(rank, current_);
    const std::uint64_t at = ++now_;
    made.lane->call(name, depth, arguments, result, at * 1000, 100);
    return {process_.at(rank), static_cast<std::uint32_t>(current_), made.records++};
  }
  // A call that has nothing to do with MPI.
  Event mark(int rank, std::uint32_t depth = 0) {
    return call(rank, "mkdir", {path("/scratch/d"), literal(0755)}, literal(0), depth);
  }

  Event send(int rank, int dest, int tag = 0, std::uint32_t comm = 0, std::string_view name = "MPI_Send") {
    return call(rank, name,
                {absent(), literal(1), text("MPI_INT"), rank_part(dest), tag_part(tag), comm_part(comm)});
  }
  Event receive(int rank, int source, int tag, const Came& came, std::uint32_t comm = 0) {
    return call(rank, "MPI_Recv",
                {absent(), literal(1), text("MPI_INT"), rank_part(source), tag_part(tag), comm_part(comm),
                 status_part(came.source, came.tag)});
  }
  Event receive(int rank, int source, int tag = 0, std::uint32_t comm = 0) {
    return receive(rank, source, tag, {source, tag}, comm);
  }
  Event isend(int rank, int dest, int tag, int request, std::uint32_t comm = 0,
              std::string_view name = "MPI_Isend") {
    return call(rank, name,
                {absent(), literal(1), text("MPI_INT"), rank_part(dest), tag_part(tag), comm_part(comm),
                 literal(request)});
  }
  Event ireceive(int rank, int source, int tag, int request, std::uint32_t comm = 0,
                 std::string_view name = "MPI_Irecv") {
    return call(rank, name,
                {absent(), literal(1), text("MPI_INT"), rank_part(source), tag_part(tag), comm_part(comm),
                 literal(request)});
  }
  Event wait(int rank, int request, const Came& came = {}) {
    return call(rank, "MPI_Wait", {literal(request), status_part(came.source, came.tag)});
  }
  static Part requests_part(const std::vector<int>& requests) {
    std::string items;
    for (const int one : requests) items += one < 0 ? null_item() : item(one);
    return list(items);
  }
  static Part statuses_part(const std::vector<Came>& came) {
    std::string items;
    for (const Came& one : came)
      items += one.source == kNull ? null_item() + null_item() : relative_item(one.source) + item(one.tag);
    return list(items);
  }
  // Sources count from the caller's rank in lists.
  Event waitall(int rank, const std::vector<int>& requests, std::vector<Came> came) {
    for (Came& one : came)
      if (one.source != kNull) one.source -= rank;
    return call(rank, "MPI_Waitall",
                {literal(static_cast<int>(requests.size())), requests_part(requests), statuses_part(came)});
  }
  Event waitsome(int rank, const std::vector<int>& requests, const std::vector<int>& done,
                 std::vector<Came> came, std::string_view name = "MPI_Waitsome") {
    std::string indices;
    for (const int one : done) indices += item(one);
    for (Came& one : came)
      if (one.source != kNull) one.source -= rank;
    return call(rank, name,
                {literal(static_cast<int>(requests.size())), requests_part(requests),
                 literal(static_cast<int>(done.size())), list(indices), statuses_part(came)});
  }
  Event waitany(int rank, const std::vector<int>& requests, int index, const Came& came) {
    return call(rank, "MPI_Waitany",
                {literal(static_cast<int>(requests.size())), requests_part(requests), literal(index),
                 status_part(came.source, came.tag)});
  }
  Event barrier(int rank, std::uint32_t comm = 0) { return call(rank, "MPI_Barrier", {comm_part(comm)}); }
  Event bcast(int rank, int root, int count = 1, std::uint32_t comm = 0) {
    return call(rank, "MPI_Bcast",
                {absent(), literal(count), text("MPI_INT"), rank_part(root), comm_part(comm)});
  }
  Event reduce(int rank, int root, int count = 1, std::uint32_t comm = 0) {
    return call(rank, "MPI_Reduce",
                {absent(), absent(), literal(count), text("MPI_INT"), text("MPI_SUM"), rank_part(root),
                 comm_part(comm)});
  }
  Event allreduce(int rank, int count = 1, std::uint32_t comm = 0, std::string_view name = "MPI_Allreduce") {
    return call(rank, name,
                {absent(), absent(), literal(count), text("MPI_INT"), text("MPI_SUM"), comm_part(comm)});
  }
  Event ibarrier(int rank, int request, std::uint32_t comm = 0) {
    return call(rank, "MPI_Ibarrier", {comm_part(comm), literal(request)});
  }

  trace::made::Lane& lane(int rank) { return *thread(rank, 0).lane; }

  // What is known of it; the program is over then.
  const Order& order(unsigned threads = 1) {
    finish();
    if (!order_) {
      OrderOptions options;
      options.threads = threads;
      auto made = Order::of(*trace_, options);
      EXPECT_TRUE(made.has_value()) << made.error().text();
      order_.emplace(std::move(*made));
    }
    return *order_;
  }
  const trace::TraceFile& trace() {
    finish();
    return *trace_;
  }

 private:
  struct Thread {
    std::unique_ptr<trace::made::Lane> lane;
    std::uint64_t records = 0;
  };

  Thread& thread(int rank, int number) {
    Thread& made = lanes_[static_cast<std::size_t>(rank)][number];
    if (made.lane == nullptr)
      made.lane = std::make_unique<trace::made::Lane>(
          run_.path(), trace::made::Lane::About{.process = number_of(rank),
                                                .parent = 4000,
                                                .number = static_cast<std::uint64_t>(number),
                                                .start = 1000 + static_cast<std::uint64_t>(rank),
                                                .timed = timed_,
                                                .lost = 0,
                                                .late = 0});
    return made;
  }
  void finish() {
    if (trace_) return;
    lanes_.clear();
    const auto merged = trace::made::merge(run_.path());
    EXPECT_TRUE(merged.has_value()) << merged.error().text();
    auto opened = trace::TraceFile::open(run_.path());
    EXPECT_TRUE(opened.has_value()) << opened.error().text();
    trace_.emplace(std::move(*opened));
  }

  bool timed_;
  ScratchDir run_;
  std::vector<std::map<int, Thread>> lanes_;  // by rank and thread
  std::map<int, std::uint32_t> process_;      // of a rank, in the trace
  int current_ = 0;
  std::uint64_t now_ = 0;
  std::optional<trace::TraceFile> trace_;
  std::optional<Order> order_;
};

// Before one way, and not the other.
inline testing::AssertionResult ordered(Program& program, const Event& first, const Event& second) {
  if (!program.order().before(first, second)) return testing::AssertionFailure() << "not before";
  if (program.order().before(second, first)) return testing::AssertionFailure() << "before both ways";
  return testing::AssertionSuccess();
}
inline testing::AssertionResult unordered(Program& program, const Event& first, const Event& second) {
  if (program.order().before(first, second)) return testing::AssertionFailure() << "the first is before";
  if (program.order().before(second, first)) return testing::AssertionFailure() << "the second is before";
  return testing::AssertionSuccess();
}

}  // namespace weir::semantics::made
