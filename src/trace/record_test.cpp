#include "trace/record.hpp"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "trace/tables.hpp"

namespace weir::trace {
namespace {

Value number(std::int64_t value) {
  Value made;
  made.kind = Value::Kind::number;
  made.number = value;
  return made;
}

std::uint64_t moved(std::string_view name, const std::vector<Value>& arguments, const Value& result) {
  const Function function = describe(*find_call(name));
  Record record;
  record.function = &function;
  record.moves = function.moves;
  record.arguments = arguments;
  record.result = result;
  return bytes_moved(record);
}

TEST(BytesMoved, AWordIsAnInt) {
  EXPECT_EQ(moved("putw", {number(7), {}}, number(0)), sizeof(int));
  EXPECT_EQ(moved("getw", {{}}, number(7)), sizeof(int));
  Value failed;
  failed.kind = Value::Kind::failed;
  EXPECT_EQ(moved("getw", {{}}, failed), 0U);
}

TEST(BytesMoved, ALineHasItsNewline) {
  EXPECT_EQ(moved("puts", {number(5)}, number(6)), 6U);
  EXPECT_EQ(moved("gets", {number(5)}, {}), 6U);
  EXPECT_EQ(moved("fputs", {number(5), {}}, number(1)), 5U);
  EXPECT_EQ(moved("fgets", {number(5), number(80), {}}, {}), 5U);
}

TEST(BytesMoved, WhatNobodyKnowsIsNotCounted) {
  for (const std::string_view one : {"fputwc", "__overflow"}) EXPECT_EQ(moved(one, {{}, {}}, {}), 0U) << one;
  for (const std::string_view one : {"fgetwc", "__uflow", "putwchar"})
    EXPECT_EQ(moved(one, {{}}, {}), 0U) << one;
  EXPECT_EQ(moved("fputws", {number(5), {}}, number(1)), 0U);
  EXPECT_EQ(moved("fgetws", {number(5), number(80), {}}, {}), 0U);
  EXPECT_EQ(moved("fwprintf", {{}, {}, {}}, number(5)), 0U);
  EXPECT_EQ(moved("perror", {number(5)}, {}), 0U);
}

}  // namespace
}  // namespace weir::trace
