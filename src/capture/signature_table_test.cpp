#include "capture/signature_table.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace weir::capture {
namespace {

using Words = std::vector<std::uint64_t>;
constexpr std::uint32_t kNone = SignatureTable::kNone;

class Signatures : public testing::Test {
 protected:
  Signatures() { table_.use(storage_.get()); }
  std::uint32_t find(const Words& words) const { return table_.find(words.data(), words.size()); }
  std::uint32_t guess(const Words& words, std::uint32_t after) const {
    return table_.guess(words.data(), words.size(), after);
  }
  std::uint32_t add(const Words& words) { return table_.add(words.data(), words.size()); }
  std::uint32_t pattern(const Words& words) { return table_.pattern_of(words.data(), words.size()); }

  std::unique_ptr<SignatureTable::Storage> storage_ = std::make_unique<SignatureTable::Storage>();
  SignatureTable table_;
};

TEST_F(Signatures, AreNumberedInTheOrderTheyCome) {
  EXPECT_EQ(find({1, 2}), kNone);
  EXPECT_EQ(add({1, 2}), 0U);
  EXPECT_EQ(add({1, 3}), 1U);
  EXPECT_EQ(find({1, 2}), 0U);
  EXPECT_EQ(find({1, 3}), 1U);
  EXPECT_EQ(find({1}), kNone);
  EXPECT_EQ(find({1, 2, 0}), kNone) << "longer by a zero";
  EXPECT_EQ(table_.size(), 2U);
}

TEST_F(Signatures, TheFollowerIsOnlyAGuess) {
  add({1});
  add({2});
  add({3});
  table_.followed(0, 1);
  EXPECT_EQ(guess({2}, 0), 1U);
  EXPECT_EQ(guess({3}, 0), kNone) << "another one followed this time";
  EXPECT_EQ(guess({2}, 1), kNone) << "nothing followed yet";
  EXPECT_EQ(guess({2}, 77), kNone) << "what came before is not known";
  EXPECT_EQ(guess({2}, kNone), kNone);
  table_.followed(kNone, 1);
  table_.followed(77, 1);
}

TEST_F(Signatures, ClearedTheyAreForgottenWithTheirFollowers) {
  add({1});
  add({2});
  table_.followed(0, 1);
  table_.one_more_of(pattern({9}));
  table_.clear();
  EXPECT_EQ(table_.size(), 0U);
  EXPECT_EQ(find({1}), kNone);
  EXPECT_EQ(guess({2}, 0), kNone);
  EXPECT_EQ(table_.count_of(pattern({9})), 0U);
  EXPECT_EQ(add({5}), 0U);
  EXPECT_EQ(guess({2}, 0), kNone) << "a follower from before";
  EXPECT_EQ(find({5}), 0U);
}

TEST_F(Signatures, AFullTableFindsAll) {
  constexpr std::uint64_t seed = 3;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  std::vector<Words> all;
  while (table_.has_room(8)) {
    Words words(1 + random.below(8));
    words[0] = all.size();
    for (std::size_t i = 1; i < words.size(); ++i) words[i] = random.below(3);
    ASSERT_EQ(find(words), kNone);
    ASSERT_EQ(add(words), all.size());
    all.push_back(std::move(words));
  }
  EXPECT_EQ(all.size(), SignatureTable::kMostSignatures);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(find(all[i]), i);
  EXPECT_GE(table_.bytes_used(), all.size() * sizeof(std::uint64_t));
}

TEST_F(Signatures, WordsRunOutToo) {
  Words words(SignatureTable::kLongest);
  for (words[0] = 0; table_.has_room(words.size()); ++words[0]) add(words);
  EXPECT_EQ(table_.size(), SignatureTable::kMostWords / SignatureTable::kLongest);
  EXPECT_FALSE(table_.has_room(1));
}

TEST_F(Signatures, PatternsAreCounted) {
  EXPECT_EQ(table_.count_of(pattern({1, 2})), 0U);
  for (int i = 0; i < 3; ++i) table_.one_more_of(pattern({1, 2}));
  table_.one_more_of(pattern({1, 3}));
  EXPECT_EQ(table_.count_of(pattern({1, 2})), 3U);
  EXPECT_EQ(table_.count_of(pattern({1, 3})), 1U);
}

TEST_F(Signatures, ManyPatternsKeepTheirCounts) {
  for (std::uint64_t i = 0; i < 30'000; ++i) table_.one_more_of(pattern({i, 7}));
  for (std::uint64_t i = 0; i < 30'000; ++i) ASSERT_GE(table_.count_of(pattern({i, 7})), 1U) << i;
}

}  // namespace
}  // namespace weir::capture
