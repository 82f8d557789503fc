// Feeds arbitrary bytes to the decoder of timing blocks. The first bytes choose how many records are expected
// and how their signatures are spread; the rest is the block, whose first byte is the mode. A block that
// decodes is coded again with the mode's bound and must come back within it.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/timing/block.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weir;
  using namespace weir::trace;
  if (size < 4) return 0;
  const std::size_t records = data[0] + (std::size_t{data[1]} & 0x1f) * 256;
  const std::uint32_t spread = data[2];
  std::vector<std::uint32_t> signature(records);
  for (std::size_t i = 0; i < records; ++i)
    signature[i] =
        spread == 0 ? 0 : static_cast<std::uint32_t>(i * i % spread) * ((spread & 1u) != 0 ? 70'001 : 1);
  std::vector<std::int64_t> start(records);
  std::vector<std::uint64_t> duration(records);
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  const ByteSpan block = bytes.subspan(3);
  ByteReader in(block);
  if (!decode_timing_block(in, signature, {start, duration})) return 0;
  if (in.position() > block.size()) __builtin_trap();

  const auto mode = timing_block_mode(block);
  if (!mode || *mode == TimingMode::off || *mode == TimingMode::mean) return 0;
  const TimingOptions options{
      .mode = *mode, .error = 0.1, .error_of_signature = {}, .clustered = (data[1] & 0x80u) != 0};
  ByteWriter again;
  if (!TimingEncoder(options).encode({start, duration, signature}, again)) __builtin_trap();
  std::vector<std::int64_t> start_again(records);
  std::vector<std::uint64_t> duration_again(records);
  ByteReader in_again(again.view());
  if (!decode_timing_block(in_again, signature, {start_again, duration_again}) || !in_again.at_end())
    __builtin_trap();
  if (*mode == TimingMode::lossless) {
    if (start != start_again || duration != duration_again) __builtin_trap();
    return 0;
  }
  const auto beyond = [](long double a, long double b, long double of) {
    return (a < b ? b - a : a - b) > 0.1L * (of < 0 ? -of : of);
  };
  for (std::size_t i = 0; i < records; ++i) {
    const auto exact = static_cast<long double>(duration[i]);
    const auto at = static_cast<long double>(start[i]);
    const long double interval = i == 0 ? 0 : at - static_cast<long double>(start[i - 1]);
    if (beyond(static_cast<long double>(duration_again[i]), exact, exact)) __builtin_trap();
    if (beyond(static_cast<long double>(start_again[i]), at, interval)) __builtin_trap();
  }
  return 0;
}
