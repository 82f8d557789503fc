#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "trace/replay.hpp"

namespace weir::trace::detail {

// Numbers that processes have differently though they do the same: of descriptors, devices, inodes. They
// stand with the process, so that the blocks of many are the same bytes.
class OwnNumbers {
 public:
  void add(std::int64_t number) { list_.push_back(number); }
  bool next(std::int64_t& number) {
    if (next_ == list_.size()) return false;
    number = list_[next_++];
    return true;
  }
  bool at_end() const { return next_ == list_.size(); }
  void clear() { list_.clear(); }

  // Each as its difference to the one before.
  std::string packed() const;
  static Result<OwnNumbers> unpack(std::string_view packed);
  void append(const OwnNumbers& other) { list_.insert(list_.end(), other.list_.begin(), other.list_.end()); }

 private:
  std::vector<std::int64_t> list_;
  std::size_t next_ = 0;
};

// The events of a block and the columns of its records as bytes. What of the events is the process's own goes
// to `numbers`. Events count from the block's first record.
void put_block(ByteWriter& out, std::uint64_t records, std::uint64_t first_record,
               std::span<const Event> events, ByteSpan columns, OwnNumbers& numbers);

struct Block {
  std::uint64_t records = 0;
  std::vector<Event> events;
  ByteSpan columns;    // within the bytes it was read from
  OwnNumbers numbers;  // the descriptors that records open are left
};

Result<Block> take_block(ByteSpan bytes, std::uint64_t first_record, std::string_view numbers);

// A state of Replay, packed.
inline constexpr std::uint64_t kMostStateBytes = std::uint64_t{1} << 28;

}  // namespace weir::trace::detail
