#include "capture/text_table.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace weir::capture {
namespace {

TEST(TextTable, TextsAreNumberedInTheOrderTheyCome) {
  const auto storage = std::make_unique<TextTable::Storage>();
  TextTable table;
  table.use(storage.get());
  EXPECT_EQ(table.find(""), TextTable::kNone);
  EXPECT_EQ(table.add("b"), 0U);
  EXPECT_EQ(table.add(""), 1U);
  EXPECT_EQ(table.find("b"), 0U);
  EXPECT_EQ(table.find(""), 1U);
  EXPECT_EQ(table.find(std::string_view("b\0", 2)), TextTable::kNone);
  table.clear();
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table.find("b"), TextTable::kNone);
  EXPECT_EQ(table.add("c"), 0U);
}

TEST(TextTable, AFullTableFindsAll) {
  const auto storage = std::make_unique<TextTable::Storage>();
  TextTable table;
  table.use(storage.get());
  for (std::uint32_t i = 0; !table.full(); ++i) ASSERT_EQ(table.add("name " + std::to_string(i)), i);
  EXPECT_EQ(table.size(), TextTable::kMostTexts);
  for (std::uint32_t i = 0; i < TextTable::kMostTexts; ++i)
    ASSERT_EQ(table.find("name " + std::to_string(i)), i);
  EXPECT_EQ(table.find("another"), TextTable::kNone);
}

}  // namespace
}  // namespace weir::capture
