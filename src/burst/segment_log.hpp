#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "burst/segment.hpp"

namespace weir::burst {

// Where a part of what was appended lies.
struct LogSlice {
  std::uint32_t segment = 0;
  std::uint64_t position = 0;
  std::uint64_t length = 0;
  bool operator==(const LogSlice&) const = default;
};

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

  // Adds to `slices` where the bytes are, in order. 0 or errno; on an error what had been written before is
  // there. A device that is full is asked about once more: the next segment may lie on another one.
  int append(ByteSpan bytes, std::vector<LogSlice>& slices);

  // The current segment gets nothing more; the next append() begins a new one. A forked child calls this.
  void seal();

  std::uint32_t segments() const;

 private:
  struct Segment;
  struct Part {  // of an append, in one segment
    std::shared_ptr<Segment> segment;
    LogSlice slice;
  };

  int begin_segment(std::uint64_t needed);
  int reserve(std::uint64_t bytes, Part& part);

  Allocate allocate_;
  mutable std::mutex mutex_;
  std::shared_ptr<Segment> current_;
  std::uint64_t position_ = 0;  // in it
  std::uint32_t number_ = 0;
  bool last_was_pages_ = true;
};

}  // namespace weir::burst
