#include "trace/timing/lossless.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/timing/made_times_test.hpp"

namespace weir::trace {
namespace {

constexpr std::byte kGuard{0xa5};
constexpr std::size_t kGuardBytes = 64;

// Memory of exactly `size` bytes between guards.
class Guarded {
 public:
  explicit Guarded(std::size_t size) : bytes_(size + 2 * kGuardBytes, kGuard), size_(size) {}
  std::span<std::byte> inside() { return std::span(bytes_).subspan(kGuardBytes, size_); }
  void expect_guards_whole() const {
    const std::span<const std::byte> all(bytes_);
    EXPECT_THAT(all.first(kGuardBytes), testing::Each(kGuard));
    EXPECT_THAT(all.last(kGuardBytes), testing::Each(kGuard));
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t size_;
};

TEST(LosslessEncoder, StaysInItsMemoryAndWithinItsBound) {
  for (const std::string& kind : kinds_of_times())
    for (const std::size_t most : {std::size_t{1}, std::size_t{100}, std::size_t{20'000}}) {
      SCOPED_TRACE(fmt::format("{} of {}", kind, most));
      Random random(most);
      const Times times = make_times(kind, most, random);
      const std::size_t records = std::min(times.size(), most);
      Guarded workspace((LosslessEncoder::workspace_bytes(most) + 7) / 8 * 8);
      Guarded out(LosslessEncoder::bound(records));
      LosslessEncoder encoder(workspace.inside(), most);
      const std::span start = std::span(times.start).first(records);
      const std::span duration = std::span(times.duration).first(records);
      const std::size_t size = encoder.encode(start, duration, out.inside());
      ASSERT_GT(size, 0u);
      workspace.expect_guards_whole();
      out.expect_guards_whole();
      std::vector<std::int64_t> start_out(records);
      std::vector<std::uint64_t> duration_out(records);
      ByteReader in(out.inside().subspan(1, size - 1));
      ASSERT_TRUE(decode_lossless(in, start_out, duration_out).has_value());
      EXPECT_TRUE(in.at_end());
      EXPECT_TRUE(std::ranges::equal(start_out, start));
      EXPECT_TRUE(std::ranges::equal(duration_out, duration));
    }
}

TEST(LosslessEncoder, RandomBitsFitTheBound) {
  Random random(1);
  std::vector<std::int64_t> start(5000);
  std::vector<std::uint64_t> duration(5000);
  for (std::size_t i = 0; i < start.size(); ++i) {
    start[i] = static_cast<std::int64_t>(random());
    duration[i] = random() >> random.below(64);
  }
  std::vector<std::byte> workspace(LosslessEncoder::workspace_bytes(start.size()));
  std::vector<std::byte> out(LosslessEncoder::bound(start.size()));
  LosslessEncoder encoder(workspace, start.size());
  EXPECT_GT(encoder.encode(start, duration, out), 0u);
}

TEST(LosslessEncoder, RefusesWhatDoesNotFit) {
  std::vector<std::byte> workspace(LosslessEncoder::workspace_bytes(100));
  std::vector<std::byte> out(LosslessEncoder::bound(101));
  const std::vector<std::int64_t> start(101);
  const std::vector<std::uint64_t> duration(101);
  LosslessEncoder encoder(workspace, 100);
  EXPECT_EQ(encoder.encode(start, duration, out), 0u);
  const std::span few_starts = std::span(start).first(100);
  const std::span few_durations = std::span(duration).first(100);
  EXPECT_GT(encoder.encode(few_starts, few_durations, out), 0u);
  EXPECT_EQ(encoder.encode(few_starts, duration, out), 0u);
  EXPECT_EQ(encoder.encode(few_starts, few_durations, std::span(out).first(LosslessEncoder::bound(100) - 1)),
            0u);
  EXPECT_EQ(LosslessEncoder().encode(few_starts, few_durations, out), 0u);
  const std::span<std::byte> short_by_one(workspace.data(), workspace.size() - 1);
  LosslessEncoder cramped(short_by_one, 100);
  EXPECT_EQ(cramped.encode(few_starts, few_durations, out), 0u);
}

}  // namespace
}  // namespace weir::trace
