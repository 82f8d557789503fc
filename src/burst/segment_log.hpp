#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <boost/container/small_vector.hpp>

#include "base/bytes.hpp"
#include "base/fork_mark.hpp"
#include "base/unique_fd.hpp"
#include "burst/log_write.hpp"
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
  [[gnu::always_inline]] int append(ByteSpan bytes, LogSlices& slices, Pin* pin = nullptr);

  // The current segment gets nothing more; the next append() begins a new one.
  void seal();

  std::uint32_t segments() const { return number_.load(std::memory_order_relaxed); }
  // Segments up to this one get nothing more and are not pinned: as it was when settle() was last called, or
  // when the last segment was asked for.
  std::uint32_t settled() const { return settled_.load(std::memory_order_relaxed); }
  void settle();

 private:
  struct Segment {
    UniqueFd fd;
    std::uint64_t bytes = 0;
  };
  struct Part {  // of an append, in one segment
    std::shared_ptr<Segment> segment;
    LogSlice slice;
  };

  int begin_segment(std::uint64_t needed);
  // A place for all of the bytes, or for as many as the current segment takes.
  int reserve(std::uint64_t bytes, Part& part);
  int append_rest(ByteSpan bytes, Part part, ssize_t written, LogSlices& slices, Pin* pin);
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

// What most writes do is in the caller's own frame: a processor that is protected against speculation has
// lost the way back to the callers when a system call ends, and each return costs it 10 ns.
inline int SegmentLog::append(ByteSpan bytes, LogSlices& slices, Pin* pin) {
  if (!mark_.is_here()) return EBADF;
  if (bytes.empty()) return 0;
  Part part;
  if (const int error = reserve(bytes.size(), part); error != 0) return error;
  const ssize_t written =
      log_write(part.segment->fd.get(), bytes.first(part.slice.length), part.slice.position);
  if (written != static_cast<ssize_t>(bytes.size())) [[unlikely]]
    return append_rest(bytes, std::move(part), written, slices, pin);
  slices.push_back(part.slice);
  if (pin != nullptr) *pin = std::move(part.segment);
  return 0;
}

}  // namespace weir::burst
