#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "burst/backing.hpp"
#include "burst/io_threads.hpp"
#include "burst/job.hpp"
#include "burst/protocol.hpp"
#include "burst/segment.hpp"
#include "burst/segment_reader.hpp"

namespace weir::burst {

// What a server does for its node's buffer: segments for the clients' logs, their bytes for other nodes and
// for the backing directory. Used by all workers.
class Agent {
 public:
  Agent(const Job& job, std::uint32_t number, const Backing& backing);

  // ENOSPC when the buffer is full and may not spill.
  Outcome<GrantedSegment> grant(std::uint64_t client, const GrantSegment& request);
  // ESTALE when a segment is gone.
  Outcome<Content> fetch(const Fetch& request);
  // `done` runs in one of the agent's threads.
  void write_back(WriteBack request, std::function<void(Outcome<Flushed>)> done);

  // Writing back that is under way is ended; before those who wait for it go.
  void finish() { threads_.finish(); }

  struct Counts {
    std::uint64_t buffered_bytes = 0;  // of granted segments
    std::uint64_t spilled_bytes = 0;
    std::uint64_t segments = 0;
    std::uint64_t fetched_bytes = 0;
    std::uint64_t written_back_bytes = 0;
  };
  Counts counts() const;

 private:
  Outcome<GrantedSegment> make_segment(const std::filesystem::path& path, const SegmentHeader& header,
                                       std::atomic<std::uint64_t>& bytes);
  Outcome<Flushed> write_back_now(const WriteBack& request);

  const Job& job_;
  std::uint32_t number_;
  const Backing& backing_;
  SegmentReader segments_;
  std::atomic<std::uint64_t> buffered_ = 0;
  std::atomic<std::uint64_t> spilled_ = 0;
  std::atomic<std::uint64_t> granted_ = 0;
  std::atomic<std::uint64_t> fetched_ = 0;
  std::atomic<std::uint64_t> written_back_ = 0;
  IoThreads threads_{2};  // last: they use the rest
};

}  // namespace weir::burst
