#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "burst/backing.hpp"
#include "burst/io_threads.hpp"
#include "burst/job.hpp"
#include "burst/segment_reader.hpp"
#include "burst/segment_store.hpp"
#include "burst/space_protocol.hpp"

namespace weir::burst {

// What a server does for its node's buffer: segments for the clients' logs, their bytes for other nodes and
// for the backing directory. Used by all workers.
class Agent {
 public:
  Agent(const Job& job, std::uint32_t number, const Backing& backing);

  SegmentStore& store() { return store_; }
  // Their space goes back to the device; `done` gets the bytes, in one of the agent's threads.
  void remove(std::vector<SegmentKey> segments, std::function<void(std::uint64_t)> done);
  // ESTALE when a segment is gone.
  Outcome<Content> fetch(const Fetch& request);
  // `done` runs in one of the agent's threads.
  void write_back(WriteBack request, std::function<void(Outcome<Flushed>)> done);

  // Writing back that is under way is ended; before those who wait for it go.
  void finish() { threads_.finish(); }

  struct Counts {
    std::uint64_t fetched_bytes = 0;
    std::uint64_t written_back_bytes = 0;
  };
  Counts counts() const;

 private:
  Outcome<Flushed> write_back_now(const WriteBack& request);

  const Backing& backing_;
  SegmentStore store_;
  SegmentReader segments_;
  std::atomic<std::uint64_t> fetched_ = 0;
  std::atomic<std::uint64_t> written_back_ = 0;
  IoThreads threads_{2};  // last: they use the rest
};

}  // namespace weir::burst
