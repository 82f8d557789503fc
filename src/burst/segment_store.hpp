#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.hpp"
#include "burst/job.hpp"
#include "burst/segment.hpp"
#include "burst/space_protocol.hpp"

namespace weir::burst {

// The segments of a node, as files: made, counted against the quota, removed. What an earlier life of the
// server has left is there from the beginning. Thread-safe.
class SegmentStore {
 public:
  SegmentStore(const Job& job, std::uint32_t node);

  // In the buffer. ENOSPC when the quota or the device is used up. One that the client was given before is
  // given again: the answer was lost.
  Outcome<GrantedSegment> make(std::uint64_t client, std::uint32_t number, std::uint64_t bytes);
  // In the backing directory.
  Outcome<GrantedSegment> spill(std::uint64_t client, std::uint32_t number, std::uint64_t bytes);
  std::vector<SegmentKey> keys() const;  // ascending
  // Gone for those who ask for it now; who has it open reads on. How many bytes the node has got back.
  std::uint64_t remove(std::span<const SegmentKey> keys);
  // Three quarters of the quota are used, or seven eighths of the device.
  bool is_nearly_full() const;

  struct Counts {
    std::uint64_t segments = 0;
    std::uint64_t buffered_bytes = 0;
    std::uint64_t spilled_bytes = 0;
    std::uint64_t freed_bytes = 0;
  };
  Counts counts() const;

 private:
  struct Row {
    std::uint64_t bytes = 0;
    bool spilled = false;
  };

  void find(const std::filesystem::path& folder, bool spilled);
  Outcome<GrantedSegment> create(const SegmentHeader& header, bool spilled);
  void add(SegmentKey key, Row row);  // the mutex is held
  std::filesystem::path path_of(SegmentKey key, bool spilled) const;

  const Job& job_;
  std::uint32_t node_;
  std::filesystem::path buffer_;
  std::filesystem::path spill_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<SegmentKey, Row> rows_;
  Counts counts_;
};

// What a file of this name is; nothing when it is no segment.
std::optional<SegmentKey> segment_key(std::string_view name);

// A client holds this file's lock as long as it lives, whatever becomes of the server meanwhile.
std::filesystem::path life_of(const JobServer& server, std::uint64_t client);
UniqueFd hold_life(const JobServer& server, std::uint64_t client);
// True also where that cannot be told.
bool holder_lives(const JobServer& server, std::uint64_t client);

}  // namespace weir::burst
