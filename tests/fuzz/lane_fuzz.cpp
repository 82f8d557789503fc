// Feeds arbitrary words to the merge, as the tail of the lane that a killed program left, and reads every
// record of the trace that comes of it. The first byte says whether the lane has times, and how many words
// stand in a sealed frame before those of the tail.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/scratch_dir.hpp"
#include "trace/format.hpp"
#include "trace/merge.hpp"
#include "trace/raw_lane_test.hpp"
#include "trace/record_text.hpp"
#include "trace/records.hpp"

namespace {

using weir::trace::made::RawLane;

RawLane lane_of(const std::uint8_t* data, std::size_t size) {
  RawLane lane((data[0] & 1) != 0);
  const std::size_t words = std::min((size - 1) / sizeof(std::uint32_t), weir::trace::live::kTailWords);
  const std::size_t sealed = words * (data[0] >> 1) / 128;
  lane.tail.resize(words);
  if (words > 0) std::memcpy(lane.tail.data(), data + 1, words * sizeof(std::uint32_t));
  if (sealed > 0) {
    const std::vector<std::uint32_t> rest(lane.tail.begin() + static_cast<std::ptrdiff_t>(sealed),
                                          lane.tail.end());
    lane.tail.resize(sealed);
    lane.seal();
    lane.tail = rest;
  }
  return lane;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const weir::ScratchDir scratch;
  const std::filesystem::path run = scratch.path() / "run";
  std::filesystem::remove_all(run);
  lane_of(data, size).write(run);
  weir::trace::MergeOptions options;
  options.threads = 1;
  const auto merged = weir::trace::merge_run(run, options);
  if (!merged) return 0;
  const auto trace = weir::trace::TraceFile::open(merged->file.string());
  WEIR_CHECK(trace.has_value(), "what was merged cannot be read: {}", trace.error().text());
  weir::trace::Records records(*trace, {});
  weir::trace::Records::Item item;
  fmt::memory_buffer text;
  std::uint64_t count = 0;
  for (; records.next(item); ++count) {
    text.clear();
    append_call(text, *item.record);
    append_result(text, *item.record);
  }
  WEIR_CHECK(!records.error(), "what was merged is damaged: {}", records.error()->text());
  WEIR_CHECK(count == merged->records, "{} records instead of {}", count, merged->records);
  return 0;
}
