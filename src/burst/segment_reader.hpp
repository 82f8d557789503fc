#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "burst/extent_map.hpp"

namespace weir::burst {

// Reads segments of this node's buffer. Segments on tmpfs are mapped, on others read: a device that fails is
// then an error and not a signal. Thread-safe.
class SegmentReader {
 public:
  struct Options {
    bool maps = true;        // false: never. For places that nobody has checked: touching a hole of a mapped
                             // segment on a full device is a signal.
    std::size_t kept = 256;  // segments open at a time
  };

  // Segments are looked for in these directories, in this order.
  explicit SegmentReader(std::vector<std::filesystem::path> folders)
      : SegmentReader(std::move(folders), Options{}) {}
  SegmentReader(std::vector<std::filesystem::path> folders, Options options);
  ~SegmentReader();
  SegmentReader(const SegmentReader&) = delete;
  SegmentReader& operator=(const SegmentReader&) = delete;

  // Fills `into` with the bytes at `place`. 0 or errno: ESTALE when the segment is gone (ask the owner
  // again), EIO when it is not what its name says or has no such bytes.
  int read(const Place& place, std::span<std::byte> into);

  // Makes the pages of these bytes this process's, where segments are mapped: reading them then costs a copy.
  void touch(const Place& place, std::uint64_t length);

  // A segment that was freed: its memory goes back when nobody reads it.
  void forget(std::uint64_t client, std::uint32_t segment);
  std::size_t open() const;

 private:
  class Segment;
  using Key = std::pair<std::uint64_t, std::uint32_t>;
  struct Kept {
    std::shared_ptr<const Segment> segment;
    std::list<Key>::iterator used;
  };

  std::shared_ptr<const Segment> find(Key key, int& error);
  std::shared_ptr<const Segment> load(Key key, int& error) const;
  void drop_gone();  // the mutex is held

  std::vector<std::filesystem::path> folders_;
  Options options_;
  mutable std::mutex mutex_;
  std::map<Key, Kept> kept_;
  std::list<Key> used_;  // the last one first
  Key looked_at_;        // by drop_gone()
};

}  // namespace weir::burst
