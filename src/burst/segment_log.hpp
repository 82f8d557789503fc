#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <boost/container/small_vector.hpp>

#include "base/bytes.hpp"
#include "base/fork_mark.hpp"
#include "burst/segment.hpp"

namespace weir::burst {

// Where a part of what was appended lies.
struct LogSlice {
  std::uint32_t segment = 0;
  std::uint64_t position = 0;
  std::uint64_t length = 0;
  bool operator==(const LogSlice&) const = default;
};
// A write is one, two where a segment ends: no memory is asked for.
using LogSlices = boost::container::small_vector<LogSlice, 2>;

// A client's log: what it writes goes to the end of its newest segment, by pwrite. That costs what writing a
// plain file costs; storing into a mapping costs more wherever the pages are made on the way, and can end in
// a signal (docs/design/0017 has the figures). Thread-safe: places are handed out one after the other, copies
// run side by side.
class SegmentLog {
 public:
  // Makes the segment `number` with about so many bytes and says where it is and how long it became; 0 or
  // errno. Numbers count from 1. Sizes asked for grow from 4 to 64 MiB.
  using Allocate =
      std::function<int(std::uint32_t number, std::uint64_t bytes, std::string& path, std::uint64_t& size)>;

  explicit SegmentLog(Allocate allocate);
  // Segments in a plain directory, named as segment_name() says.
  static Allocate in_directory(std::filesystem::path directory, SegmentHeader like,
                               Reserve reserve = Reserve::lazily);
  ~SegmentLog();
  SegmentLog(const SegmentLog&) = delete;
  SegmentLog& operator=(const SegmentLog&) = delete;

  // Keeps the segments of an append from counting as settled: until what is in them has been noted elsewhere.
  using Pin = std::shared_ptr<const void>;

  // Adds to `slices` where the bytes are, in order. 0 or errno; on an error what had been written before is
  // there. A device that is full is asked about once more: the next segment may lie on another one. EBADF in
  // a forked child: the segments are its parent's.
  int append(ByteSpan bytes, LogSlices& slices, Pin* pin = nullptr);

  // The current segment gets nothing more; the next append() begins a new one.
  void seal();

  std::uint32_t segments() const { return number_.load(std::memory_order_relaxed); }
  // Segments up to this one get nothing more and are not pinned: as it was when settle() was last called, or
  // when the last segment was asked for.
  std::uint32_t settled() const { return settled_.load(std::memory_order_relaxed); }
  void settle();

 private:
  struct Segment;
  struct Part {  // of an append, in one segment
    std::shared_ptr<Segment> segment;
    LogSlice slice;
  };

  int begin_segment(std::uint64_t needed);
  int reserve(std::uint64_t bytes, Part& part);
  void settle_locked();

  Allocate allocate_;
  ForkMark mark_;
  std::mutex mutex_;
  std::shared_ptr<Segment> current_;
  std::uint64_t position_ = 0;  // in it
  std::atomic<std::uint32_t> number_ = 0;
  std::atomic<std::uint32_t> settled_ = 0;
  std::deque<std::weak_ptr<Segment>> unsettled_;  // from settled_ + 1 on
  bool last_was_pages_ = true;
};

}  // namespace weir::burst
