#include "trace/name_template.hpp"

#include <memory>

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace weir::trace {
namespace {

constexpr std::int64_t kProcess = 4711;

struct Split {
  std::string bytes;
  std::vector<std::int64_t> numbers;
  bool widenable = false;
  bool cut = false;
};

Split split(std::string_view name, bool fixed_width = false, std::int64_t process = kProcess) {
  const auto made = std::make_unique<NameTemplate>();
  made->split(name, process, fixed_width);
  return {std::string(made->bytes()),
          {made->numbers().begin(), made->numbers().end()},
          made->has_numbers_to_widen(),
          made->cut()};
}

std::string expanded(const Split& split, std::int64_t process = kProcess) {
  std::string out;
  expand(split.bytes, split.numbers, process, out);
  return out;
}

void comes_back(std::string_view name, std::int64_t process = kProcess) {
  for (const bool fixed_width : {false, true}) {
    const Split made = split(name, fixed_width, process);
    const auto count = count_numbers(made.bytes);
    ASSERT_TRUE(count.has_value()) << name << ": " << count.error().text();
    EXPECT_EQ(*count, made.numbers.size()) << name;
    EXPECT_LE(*count, NameTemplate::kNumbers) << name;
    EXPECT_EQ(expanded(made, process), name) << "fixed width " << fixed_width;
  }
}

TEST(NameTemplate, NamesThatDifferInNumbersShareATemplate) {
  const Split one = split("ckpt_0001.dat");
  const Split other = split("ckpt_0417.dat");
  EXPECT_EQ(one.bytes,
            "ckpt_\1"
            "4.dat");
  EXPECT_EQ(one.bytes, other.bytes);
  EXPECT_EQ(one.numbers, std::vector<std::int64_t>{1});
  EXPECT_EQ(other.numbers, std::vector<std::int64_t>{417});
  EXPECT_FALSE(one.widenable);
  EXPECT_EQ(split("step9").bytes, split("step10").bytes);
}

TEST(NameTemplate, AWidthHoldsWhenTheLeadingZerosEnd) {
  const Split before = split("out.0999");
  const Split after = split("out.1000", true);
  EXPECT_EQ(before.bytes, after.bytes);
  EXPECT_TRUE(after.widenable);
  EXPECT_NE(before.bytes, split("out.1000").bytes);
  EXPECT_NE(before.bytes, split("out.10000", true).bytes) << "five digits never stood at four";
}

TEST(NameTemplate, TheProcessIdIsAMarkOfItsOwn) {
  const Split one = split("/tmp/run.4711/4711.log");
  const Split other = split("/tmp/run.12/12.log", false, 12);
  EXPECT_EQ(one.bytes, other.bytes);
  EXPECT_TRUE(one.numbers.empty());
  EXPECT_EQ(expanded(one, 99), "/tmp/run.99/99.log");
  EXPECT_EQ(split("004711").numbers, std::vector<std::int64_t>{4711}) << "with zeros it is a plain number";
}

TEST(NameTemplate, OddNamesComeBack) {
  for (const std::string_view name : {"",
                                      "/",
                                      "a",
                                      "0",
                                      "00",
                                      "000000000000000000",
                                      "0000000000000000000",
                                      "7",
                                      "07",
                                      "10",
                                      "1000",
                                      "999999999999999999",
                                      "1000000000000000000",
                                      "9223372036854775807",
                                      "99999999999999999999999999",
                                      "1a2b3c4d5e6f",
                                      "1a2b3c4d5e6f7g8h",
                                      "4711",
                                      "04711",
                                      "4711a4711",
                                      "1.2.3.4.5.6.4711",
                                      "-5",
                                      "1-1",
                                      "\1",
                                      "\2",
                                      "\3",
                                      "\1\2\3",
                                      "a\1"
                                      "4b",
                                      "\3\1"
                                      "5",
                                      "x\2"
                                      "4711\3"})
    comes_back(name);
  comes_back(std::string_view("nul\0inside7", 11));
  comes_back("0", 0);
  comes_back("00", 0);
}

TEST(NameTemplate, NumbersBeyondTheSixthStayText) {
  const Split made = split("1a2b3c4d5e6f7g8");
  EXPECT_EQ(made.numbers, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(made.bytes.ends_with("g8"));
}

TEST(NameTemplate, ASeventhNumberThatIsThePaddedProcessIdStaysText) {
  const Split made = split("1.2.3.4.5.6.004711");
  EXPECT_EQ(made.numbers.size(), NameTemplate::kNumbers);
  comes_back("1.2.3.4.5.6.004711");
  comes_back("1.2.3.4.5.6.004711.004711.004711");
}

TEST(NameTemplate, AnOverlongNameIsCut) {
  const std::string longest(NameTemplate::kLongest, '\1');
  EXPECT_FALSE(split(longest).cut);
  EXPECT_EQ(expanded(split(longest)), longest);
  const Split made = split(longest + "tail");
  EXPECT_TRUE(made.cut);
  EXPECT_EQ(expanded(made), longest);
  EXPECT_EQ(expanded(split(std::string(NameTemplate::kLongest + 1, '7'))),
            std::string(NameTemplate::kLongest, '7'));
}

TEST(NameTemplate, DamagedTemplatesAreRefused) {
  for (const std::string_view bad : {"\1", "a\3", "\1/", "\1C", "\1\1"})
    EXPECT_FALSE(count_numbers(bad).has_value());
  std::string many;
  for (int i = 0; i < 7; ++i)
    many +=
        "\1"
        "0";
  EXPECT_FALSE(count_numbers(many).has_value());
  EXPECT_EQ(*count_numbers("\3\1"
                           "4"),
            0U)
      << "an escaped mark is no number";
}

TEST(NameTemplate, AnyNameComesBack) {
  constexpr std::uint64_t seed = 20240611;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  constexpr std::string_view pieces[] = {"0",
                                         "00",
                                         "1",
                                         "9",
                                         "42",
                                         "4711",
                                         "04711",
                                         "12345678901234567890",
                                         "a",
                                         "/",
                                         "_",
                                         ".",
                                         "\1",
                                         "\2",
                                         "\3",
                                         "\1"
                                         "4",
                                         "x7"};
  for (int round = 0; round < 5000; ++round) {
    std::string name;
    for (std::uint64_t left = random.below(20); left > 0; --left)
      name += pieces[random.below(std::size(pieces))];
    comes_back(name);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

}  // namespace
}  // namespace weir::trace
