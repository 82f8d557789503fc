#include "semantics/detail/datatype.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::semantics::detail {
namespace {

using trace::ListItem;
using trace::Value;

Value number(std::int64_t value) {
  Value made;
  made.kind = Value::Kind::number;
  made.number = value;
  return made;
}
Value named(std::string_view name) {
  Value made;
  made.kind = Value::Kind::text;
  made.text = name;
  return made;
}
Value object(std::int64_t id) {
  Value made = number(id);
  made.kind = Value::Kind::object;
  return made;
}
Value list(const std::vector<ListItem>& items) {
  Value made;
  made.kind = Value::Kind::list;
  made.items = items;
  return made;
}

class Made : public testing::Test {
 protected:
  // What the call makes of its arguments; null where it cannot be followed.
  DatatypePointer type(const std::string& call, std::vector<Value> arguments) {
    trace::Function function;
    function.name = function.means = call;
    arguments.push_back(object(1));
    trace::Record record;
    record.function = &function;
    record.arguments = arguments;
    types_.make(record);
    return types_.find(object(1));
  }

 private:
  Datatypes types_;
};

TEST_F(Made, TypesOfTooManyRunsOrBeyondAnyFileAreNotFollowed) {
  EXPECT_EQ(type("MPI_Type_vector", {number(2'000'000'000), number(1), number(2), named("MPI_BYTE")}),
            nullptr);
  EXPECT_EQ(type("MPI_Type_create_hvector", {number(2), number(1), number(INT64_MAX), named("MPI_INT")}),
            nullptr);
  EXPECT_EQ(type("MPI_Type_contiguous", {number(INT64_MAX), named("MPI_INT")}), nullptr);
  const std::vector<ListItem> cyclic = {{ListItem::Kind::number, 1, {}}};
  const std::vector<ListItem> size = {{ListItem::Kind::number, INT64_MAX / 2, {}}};
  const std::vector<ListItem> parts = {{ListItem::Kind::number, 2, {}}};
  EXPECT_EQ(type("MPI_Type_create_darray", {number(2), number(0), number(1), list(size), list(cyclic),
                                            list(cyclic), list(parts), number(0), named("MPI_BYTE")}),
            nullptr);
}

// These would be counted for years.
TEST_F(Made, TypesOfVeryManyPartsAreMadeAtOnce) {
  constexpr std::int64_t kMany = std::int64_t{1} << 62;
  const DatatypePointer nothing =
      type("MPI_Type_vector", {number(kMany), number(0), number(1), named("MPI_INT")});
  ASSERT_NE(nothing, nullptr);
  EXPECT_EQ(nothing->size, 0);
  EXPECT_EQ(nothing->extent, 0);
  const auto of_nothing = [&](const std::string& call, std::vector<Value> arguments) {
    type("MPI_Type_contiguous", {number(0), named("MPI_INT")});
    arguments.push_back(object(1));
    return type(call, std::move(arguments));
  };
  for (const DatatypePointer& one :
       {of_nothing("MPI_Type_contiguous", {number(kMany)}),
        of_nothing("MPI_Type_vector", {number(kMany), number(1), number(1)}),
        of_nothing("MPI_Type_create_hvector", {number(1000), number(2), number(0)})}) {
    ASSERT_NE(one, nullptr);
    EXPECT_TRUE(one->runs.empty());
    EXPECT_EQ(one->size, 0);
  }
  EXPECT_EQ(type("MPI_Type_vector", {number(kMany), number(1), number(1), named("MPI_BYTE")}), nullptr);
  const DatatypePointer dense =
      type("MPI_Type_vector", {number(1 << 30), number(2), number(2), named("MPI_INT")});
  ASSERT_NE(dense, nullptr);
  EXPECT_EQ(dense->runs, (std::vector<Datatype::Run>{{0, std::int64_t{1} << 33}}));
}

// A vector of what holds nothing reaches from its first part to its last.
TEST_F(Made, ExtentsOfVectorsOfNothingAreKept) {
  type("MPI_Type_contiguous", {number(0), named("MPI_INT")});
  type("MPI_Type_create_resized", {object(1), number(0), number(8)});
  const DatatypePointer made = type("MPI_Type_vector", {number(3), number(1), number(2), object(1)});
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->extent, 40);
}

// struct { int a; char b; } is followed by three bytes of nothing.
TEST_F(Made, ExtentsArePaddedAsInC) {
  const std::vector<ListItem> ones = {{ListItem::Kind::number, 1, {}}, {ListItem::Kind::number, 1, {}}};
  const std::vector<ListItem> places = {{ListItem::Kind::number, 0, {}}, {ListItem::Kind::number, 4, {}}};
  const std::vector<ListItem> types = {{ListItem::Kind::name, 0, "MPI_INT"},
                                       {ListItem::Kind::name, 0, "MPI_CHAR"}};
  const DatatypePointer made =
      type("MPI_Type_create_struct", {number(2), list(ones), list(places), list(types)});
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->size, 5);
  EXPECT_EQ(made->extent, 8);
}

// struct { short a; int b; } has two bytes of nothing within, struct { double a; int b; } four behind.
TEST_F(Made, PairsArePaddedAsInC) {
  DatatypePointer made = type("MPI_Type_contiguous", {number(2), named("MPI_SHORT_INT")});
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->size, 12);
  EXPECT_EQ(made->extent, 16);
  EXPECT_EQ(made->runs, (std::vector<Datatype::Run>{{0, 2}, {4, 6}, {12, 4}}));
  made = type("MPI_Type_contiguous", {number(2), named("MPI_DOUBLE_INT")});
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->size, 24);
  EXPECT_EQ(made->extent, 32);
  EXPECT_EQ(made->runs, (std::vector<Datatype::Run>{{0, 12}, {16, 12}}));
}

TEST_F(Made, RangesOfAViewAreAllThereOrNone) {
  FileView view;
  view.filetype = type("MPI_Type_create_resized", {named("MPI_BYTE"), number(0), number(2)});
  EXPECT_EQ(view.ranges(1, 2), (std::vector<Datatype::Run>{{2, 1}, {4, 1}}));
  EXPECT_EQ(view.ranges(0, 2'000'000), std::nullopt);
  EXPECT_EQ(view.ranges(INT64_MAX, 2), std::nullopt);
}

}  // namespace
}  // namespace weir::semantics::detail
