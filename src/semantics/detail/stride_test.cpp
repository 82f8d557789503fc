#include "semantics/detail/stride.hpp"

#include <deque>

#include <gtest/gtest.h>

namespace weir::semantics::detail {
namespace {

// Accesses of some processes, each in its order.
class Stepped {
 public:
  explicit Stepped(std::size_t processes) : of_(processes) {}

  void access(std::size_t process, std::int64_t begin, std::int64_t length) {
    Access& one = kept_.emplace_back();
    one.begin = begin;
    one.end = begin + length;
    of_[process].push_back(&one);
  }
  std::optional<Stride> stride() const { return find_stride(of_); }

 private:
  std::deque<Access> kept_;
  std::vector<std::vector<const Access*>> of_;
};

TEST(Stride, BlocksBesideEachOther) {
  Stepped file(4);
  for (std::size_t process = 0; process < 4; ++process)
    file.access(process, 1000 + 64 * static_cast<std::int64_t>(process), 64);
  const auto found = file.stride();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, 1000);
  EXPECT_EQ(found->stride, 64);
  EXPECT_EQ(found->length, 64);
  EXPECT_EQ(found->phases, 1U);
  EXPECT_FALSE(found->cyclic());
}

TEST(Stride, RoundAfterRound) {
  Stepped file(3);
  for (std::int64_t phase = 0; phase < 5; ++phase)
    for (std::size_t process = 0; process < 3; ++process)
      file.access(process, phase * 600 + static_cast<std::int64_t>(process) * 200, 100);
  const auto found = file.stride();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->stride, 200);
  EXPECT_EQ(found->length, 100);
  EXPECT_EQ(found->phases, 5U);
  EXPECT_EQ(found->cycle, 600);
}

TEST(Stride, PiecesOfOneBlockAreOne) {
  Stepped file(2);
  for (std::size_t process = 0; process < 2; ++process)
    for (std::int64_t piece = 0; piece < 4; ++piece)
      file.access(process, static_cast<std::int64_t>(process) * 400 + piece * 100, 100);
  const auto found = file.stride();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->length, 400);
  EXPECT_EQ(found->phases, 1U);
}

TEST(Stride, ALibrarysBookkeepingIsPassedOver) {
  Stepped file(2);
  file.access(0, 0, 96);
  file.access(0, 4096, 1000);
  file.access(1, 5096, 1000);
  const auto found = file.stride();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, 4096);
  EXPECT_EQ(found->stride, 1000);
}

TEST(Stride, ThereIsNoneWhereTheyAreOutOfStep) {
  Stepped uneven(3);
  uneven.access(0, 0, 100), uneven.access(1, 100, 100), uneven.access(2, 250, 100);
  EXPECT_FALSE(uneven.stride());
  Stepped other_counts(2);
  other_counts.access(0, 0, 100), other_counts.access(0, 500, 100), other_counts.access(1, 100, 100);
  EXPECT_FALSE(other_counts.stride());
  Stepped the_same(2);
  the_same.access(0, 0, 100), the_same.access(1, 0, 100);
  EXPECT_FALSE(the_same.stride());
  Stepped alone(1);
  alone.access(0, 0, 100);
  EXPECT_FALSE(alone.stride());
}

}  // namespace
}  // namespace weir::semantics::detail
