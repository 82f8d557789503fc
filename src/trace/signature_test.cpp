#include "trace/signature.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "trace/raw_lane_test.hpp"
#include "trace/tables.hpp"

namespace weir::trace {
namespace {

using made::RawPart;
using Words = std::vector<std::uint64_t>;

class SignatureOf : public testing::Test {
 protected:
  SignatureOf() {
    functions_.push_back(describe(Call::pread));
    functions_.push_back(describe(Call::open));
  }
  Result<Signature> parse(const Words& words) {
    const std::uint32_t numbers_in[] = {0, 2};
    return parse_signature(words, functions_, numbers_in, 3);
  }
  // Words with the number the function has here.
  static Words pread(const RawPart& file, const RawPart& count, const RawPart& offset,
                     const RawPart& result) {
    Words words = made::signature_words(Call::pread, {file, {}, count, offset, result}, 2);
    words[0] = (words[0] & ~std::uint64_t{Head::kFunctions - 1});
    return words;
  }
  static Words open(const RawPart& path, const RawPart& result) {
    Words words = made::signature_words(Call::open, {path, {Encoding::literal, {0}}, {}, result});
    words[0] = (words[0] & ~std::uint64_t{Head::kFunctions - 1}) | 1;
    return words;
  }
  static Words good() {
    return pread({Encoding::handle, {3}}, {Encoding::literal, {4096}}, {Encoding::distance, {0}},
                 {Encoding::full, {}});
  }

  std::vector<Function> functions_;
};

TEST_F(SignatureOf, ACallIsTakenApart) {
  const auto parsed = parse(good());
  ASSERT_TRUE(parsed.has_value()) << parsed.error().text();
  EXPECT_EQ(parsed->function, 0U);
  EXPECT_EQ(parsed->depth, 2U);
  EXPECT_EQ(parsed->columns, 0U);
  ASSERT_EQ(parsed->parts.size(), 5U);
  EXPECT_EQ(parsed->parts[2].encoding, Encoding::literal);
  EXPECT_EQ(parsed->words[parsed->parts[2].word], 4096U);
}

TEST_F(SignatureOf, ColumnsAreCounted) {
  const auto parsed = parse(open({Encoding::path_column, {1}}, {Encoding::opened, {0}}));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().text();
  EXPECT_EQ(parsed->columns, 3U) << "two numbers of the name and a descriptor";
  EXPECT_TRUE(parse(open({Encoding::path, {1, 5, 6}}, {Encoding::opened, {0}})).has_value());
}

TEST_F(SignatureOf, DamagedWordsAreRefused) {
  EXPECT_FALSE(parse({}).has_value());
  const Words whole = good();
  for (std::size_t length = 1; length < whole.size(); ++length)
    EXPECT_FALSE(
        parse(Words(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length))).has_value());
  Words longer = good();
  longer.push_back(0);
  EXPECT_FALSE(parse(longer).has_value()) << "words left over";
  Words unknown = good();
  unknown[0] |= 2;
  EXPECT_FALSE(parse(unknown).has_value()) << "no such function";
  EXPECT_FALSE(parse(open({Encoding::path, {2}}, {Encoding::opened, {0}})).has_value()) << "no such name";
  EXPECT_FALSE(parse(open({Encoding::path, {1, 5}}, {Encoding::opened, {0}})).has_value())
      << "a number short";
  EXPECT_FALSE(parse(open({Encoding::text, {3}}, {Encoding::opened, {0}})).has_value()) << "no such text";
  EXPECT_FALSE(parse(open({Encoding::list, {3}}, {Encoding::opened, {0}})).has_value()) << "no such text";
  EXPECT_FALSE(parse(open({Encoding::path, {0}}, {Encoding::opened, {1U << 20}})).has_value())
      << "id too large";
  EXPECT_FALSE(parse(open({Encoding::distance, {0}}, {Encoding::opened, {0}})).has_value()) << "no handle";
  EXPECT_FALSE(parse(open({Encoding::path, {0}}, {Encoding::distance, {0}})).has_value()) << "no handle";
  EXPECT_FALSE(parse(open({Encoding::full, {}}, {Encoding::opened, {0}})).has_value()) << "no result";
}

TEST_F(SignatureOf, RandomWordsNeverCrashWhenDecoded) {
  constexpr std::uint64_t seed = 17;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  Tables tables;
  tables.functions.push_back(describe(Call::pread));
  tables.functions.push_back(describe(Call::open));
  tables.functions.push_back(describe(Call::pipe));
  tables.texts = {"a", "b", "c"};
  tables.templates = {"plain",
                      "n\1"
                      "0-\1"
                      "3"};
  ASSERT_TRUE(count_template_numbers(tables).has_value());
  const std::int64_t columns[live::kMostColumns] = {-1, 1 << 20, INT64_MAX, INT64_MIN};
  std::size_t good = 0;
  for (int round = 0; round < 100'000; ++round) {
    Words words(1 + random.below(7));
    words[0] = random.below(4) | random.below(2) << 12;
    for (unsigned shift = 20; shift < 44; shift += 4) words[0] |= random.below(16) << shift;
    for (std::size_t i = 1; i < words.size(); ++i)
      words[i] = random.below(4) == 0 ? random() : random.below(3);
    auto parsed = parse_signature(words, tables.functions, tables.numbers_in, tables.texts.size());
    if (!parsed) continue;
    ++good;
    tables.signatures.push_back(std::move(*parsed));
    Replay replay(tables, 100);
    Record record;
    for (const std::uint64_t number :
         {tables.signatures.size() - 1, random.below(tables.signatures.size())}) {
      const Signature& signature = tables.signatures[number];
      replay.apply({&signature, signature.words.data(), 3, 0}, columns, &record);
    }
  }
  EXPECT_GT(good, 100U);
}

}  // namespace
}  // namespace weir::trace
