#include "base/table.hpp"

#include <gtest/gtest.h>

#include "base/terminal.hpp"

namespace weir {
namespace {

TEST(Table, AlignsWordsLeftAndNumbersRight) {
  Table table({{"family"}, {"k", Table::right}});
  table.row({"gamma", "2"});
  table.row({"Fréchet", "10"});
  EXPECT_EQ(table.text(80),
            "family    k\n"
            "───────────\n"
            "gamma     2\n"
            "Fréchet  10\n");
}

TEST(Table, CutsTheWidestShrinkingColumnToFit) {
  Table table({{"file", Table::shrinks}, {"bytes", Table::right}});
  table.row({"a/very/long/path/to/a/checkpoint.dat", "12"});
  const std::string text = table.text(24);
  EXPECT_NE(text.find("a/very/long/path…     12\n"), std::string::npos) << text;
}

TEST(Table, NeverCutsNumbers) {
  Table table({{"n", Table::right}});
  table.row({"1234567890"});
  EXPECT_NE(table.text(5).find("1234567890"), std::string::npos);
}

TEST(Terminal, WidthCountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("±10 µs"), 6u);
  EXPECT_EQ(display_width("堰"), 2u);
  EXPECT_EQ(display_width("e\xcc\x81"), 1u);  // e and a combining acute
  EXPECT_EQ(display_width("\xff\xfe"), 2u);   // broken bytes count one each
}

TEST(Terminal, ShorteningNeverSplitsACharacter) {
  EXPECT_EQ(shorten("µµµµ", 3), "µµ…");
  EXPECT_EQ(shorten("堰堰堰", 4), "堰…");
  EXPECT_EQ(shorten("ok", 2), "ok");
  EXPECT_EQ(shorten("ok", 0), "");
}

TEST(Terminal, WrapKeepsWordsWhole) {
  EXPECT_EQ(wrap("the quick brown fox", 10), "the quick\nbrown fox");
  EXPECT_EQ(wrap("a incomprehensibilities b", 8, 2), "  a\n  incomprehensibilities\n  b");
}

}  // namespace
}  // namespace weir
