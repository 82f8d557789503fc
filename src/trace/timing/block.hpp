#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "trace/timing/mode.hpp"

namespace weir::trace {

inline constexpr std::size_t kMaxTimingRecords = std::size_t{1} << 20;
// Modes other than off and lossless take starts in (-kTimeLimit, kTimeLimit] and durations up to it: 146
// years.
inline constexpr std::int64_t kTimeLimit = std::int64_t{1} << 62;

// The times of successive records of one thread in the order of the stream, which is the order of the
// calls' ends: nested calls come before the one that contains them, so starts may go back.
struct TimesView {
  std::span<const std::int64_t> start;      // nanoseconds from an origin of the caller's choice
  std::span<const std::uint64_t> duration;  // nanoseconds
  std::span<const std::uint32_t> signature;

  std::size_t size() const { return start.size(); }
};

// Where a decoder puts them; as many as there are signatures.
struct TimesOut {
  std::span<std::int64_t> start;
  std::span<std::uint64_t> duration;
};

// Turns blocks of records into bytes. Blocks do not depend on each other; the object only keeps memory.
class TimingEncoder {
 public:
  explicit TimingEncoder(const TimingOptions& options);  // options.error_of_signature must outlive it
  ~TimingEncoder();
  TimingEncoder(TimingEncoder&&) noexcept;
  TimingEncoder& operator=(TimingEncoder&&) noexcept;

  // Appends one block of up to kMaxTimingRecords records; `out` is unchanged after an Error:
  // `usage` for bad options, `too_big` for too many records or times beyond kTimeLimit,
  // `lacking` for a mode this build leaves out.
  Result<void> encode(const TimesView& times, ByteWriter& out);

 private:
  struct State;
  TimingOptions options_;
  std::unique_ptr<State> state_;
};

// The mode of a block, from its first byte.
Result<TimingMode> timing_block_mode(ByteSpan block);

// Reads one block, written for records with these signatures, and leaves `in` behind it. Bytes may be
// damaged: the answer is then an Error or other times, never more memory than the number of records
// calls for. Mode off gives zeros.
Result<void> decode_timing_block(ByteReader& in, std::span<const std::uint32_t> signature,
                                 const TimesOut& out);

}  // namespace weir::trace
