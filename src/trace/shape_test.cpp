#include "trace/shape.hpp"

#include <map>

#include <gtest/gtest.h>

namespace weir::trace {
namespace {

// The ends of handles after calls of the real table; an id stands for a handle.
class Ends {
 public:
  void call(Call call, const std::vector<std::int64_t>& arguments, std::int64_t result) {
    ASSERT_EQ(weir::arguments(call).size(), arguments.size());
    const Shape shape = make_shape(weir::arguments(call), info(call).result);
    advance(shape, arguments.data(), result, [this](std::int64_t id) -> std::int64_t& { return ends_[id]; });
  }
  std::int64_t of(std::int64_t id) { return ends_[id]; }

 private:
  std::map<std::int64_t, std::int64_t> ends_;
};

Shape shape_of(Call call) { return make_shape(arguments(call), info(call).result); }

TEST(Shape, AnOffsetCountsFromTheHandleBeforeIt) {
  EXPECT_EQ(shape_of(Call::pread).handle_of[3], 0);
  EXPECT_EQ(shape_of(Call::sendfile).handle_of[2], 1) << "sendfile's offset is of the file it reads";
  EXPECT_EQ(shape_of(Call::copy_file_range).handle_of[1], 0);
  EXPECT_EQ(shape_of(Call::copy_file_range).handle_of[3], 2);
  EXPECT_EQ(shape_of(Call::fseek).handle_of[1], 0);
  EXPECT_EQ(shape_of(Call::fread).handle, 3);
  EXPECT_FALSE(shape_of(Call::read).has_offset);
  EXPECT_EQ(shape_of(Call::rename).handle, Shape::kNone);
}

TEST(Shape, PositionedCallsEndBehindWhatTheyMoved) {
  Ends ends;
  ends.call(Call::pread, {5, 0, 4096, 1000}, 24);  // a short read
  EXPECT_EQ(ends.of(5), 1024);
  ends.call(Call::pwrite, {5, 0, 100, 0}, 100);
  EXPECT_EQ(ends.of(5), 100);
  ends.call(Call::preadv, {5, 0, 3, 700}, 50);
  EXPECT_EQ(ends.of(5), 750);
}

TEST(Shape, ReadsAndWritesGoOnFromTheEnd) {
  Ends ends;
  ends.call(Call::read, {3, 0, 100}, 60);
  ends.call(Call::write, {3, 0, 100}, 100);
  ends.call(Call::readv, {3, 0, 2}, 8);
  EXPECT_EQ(ends.of(3), 168);
  EXPECT_EQ(ends.of(4), 0);
}

TEST(Shape, LseekSetsTheEndToItsResult) {
  Ends ends;
  ends.call(Call::lseek, {3, 500, 0}, 500);
  EXPECT_EQ(ends.of(3), 500);
  ends.call(Call::lseek, {3, -10, 2}, 90);
  EXPECT_EQ(ends.of(3), 90);
}

TEST(Shape, StdioCountsItems) {
  Ends ends;
  ends.call(Call::fread, {0, 8, 100, 7}, 25);
  EXPECT_EQ(ends.of(7), 200);
  ends.call(Call::fwrite, {0, 1, 10, 7}, 10);
  EXPECT_EQ(ends.of(7), 210);
}

TEST(Shape, FseekFollowsOnlyFromTheBeginning) {
  Ends ends;
  ends.call(Call::fseek, {7, 64, 0}, 0);
  EXPECT_EQ(ends.of(7), 64);
  ends.call(Call::fseek, {7, 10, 1}, 0);  // where that is, fseek does not tell
  EXPECT_EQ(ends.of(7), 64);
  ends.call(Call::ftell, {7}, 74);
  EXPECT_EQ(ends.of(7), 74);
}

TEST(Shape, ANullOffsetMovesNothing) {
  Ends ends;
  ends.call(Call::sendfile, {4, 5, Shape::kNoOffset, 100}, 100);
  EXPECT_EQ(ends.of(4), 0);
  EXPECT_EQ(ends.of(5), 0);
  ends.call(Call::sendfile, {4, 5, 30, 100}, 70);
  EXPECT_EQ(ends.of(5), 100);
  ends.call(Call::copy_file_range, {5, 1000, 6, Shape::kNoOffset, 10, 0}, 10);
  EXPECT_EQ(ends.of(5), 1010);
  EXPECT_EQ(ends.of(6), 0);
}

TEST(Shape, SumsWrapInsteadOfOverflowing) {
  Ends ends;
  ends.call(Call::pread, {5, 0, 1, INT64_MAX}, 1);
  EXPECT_EQ(ends.of(5), INT64_MIN);
  ends.call(Call::fread, {0, INT64_MAX, 2, 5}, INT64_MAX);
  ends.call(Call::read, {5, 0, 1}, INT64_MIN);
}

TEST(Shape, ARequestIsKnownWhereAResultCanBeComparedWithIt) {
  const auto asked = [](Call call, const std::vector<std::int64_t>& arguments) {
    return asked_for(shape_of(call), arguments.data());
  };
  EXPECT_EQ(asked(Call::read, {3, 0, 100}), 100);
  EXPECT_EQ(asked(Call::fread, {0, 8, 100, 7}), 100);
  EXPECT_EQ(asked(Call::lseek, {3, 77, 0}), 77);
  EXPECT_EQ(asked(Call::lseek, {3, 77, 1}), -1);
  EXPECT_EQ(asked(Call::close, {3}), -1);
}

TEST(Shape, NothingHasAValueByItsRole) {
  EXPECT_EQ(value_of_nothing(arguments(Call::pread)[0]), Shape::kNoHandle);
  EXPECT_EQ(value_of_nothing(arguments(Call::pread)[3]), Shape::kNoOffset);
  EXPECT_EQ(value_of_nothing(arguments(Call::pread)[1]), 0);
}

}  // namespace
}  // namespace weir::trace
