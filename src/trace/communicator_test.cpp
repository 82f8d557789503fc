#include "trace/communicator.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "trace/raw_lane_test.hpp"

namespace weir::trace {
namespace {

using made::raw_bytes;

// Rank by rank.
std::vector<std::int64_t> expanded(const std::vector<live::RankRun>& runs) {
  std::vector<std::int64_t> ranks;
  for (const live::RankRun& run : runs)
    for (std::int64_t i = 0; i < run.count; ++i) ranks.push_back(run.first + i * run.stride);
  return ranks;
}

TEST(Communicator, ARankIsThePlaceAmongTheMembers) {
  Communicator one;
  one.members = {{10, 3, 4}, {5, -1, 3}, {100, 0, 1}};
  const auto members = expanded(one.members);
  EXPECT_EQ(one.size(), members.size());
  for (std::int64_t rank = -5; rank < 120; ++rank) {
    const auto found = std::find(members.begin(), members.end(), rank);
    if (found == members.end())
      EXPECT_EQ(one.rank_of(rank), std::nullopt) << rank;
    else
      EXPECT_EQ(one.rank_of(rank), found - members.begin()) << rank;
  }
}

std::string definition(std::uint32_t flags, std::uint32_t members, const std::vector<live::RankRun>& runs) {
  std::string payload = raw_bytes(live::CommunicatorDefinition{3, flags, 1, members});
  for (const live::RankRun& run : runs) payload += raw_bytes(run);
  return payload;
}

TEST(Communicator, IsTakenFromItsDefinition) {
  const auto intra = parse_communicator(definition(0, 6, {{0, 2, 4}, {9, 1, 2}}));
  ASSERT_TRUE(intra) << intra.error().text();
  EXPECT_EQ(intra->communicator.id, 3U);
  EXPECT_EQ(intra->own_rank, 1);
  EXPECT_EQ(intra->communicator.members.size(), 2U);
  EXPECT_FALSE(intra->communicator.is_inter());
  const auto inter = parse_communicator(definition(1, 2, {{0, 1, 2}}) + raw_bytes(std::uint32_t{3}) +
                                        raw_bytes(live::RankRun{2, 1, 3}));
  ASSERT_TRUE(inter) << inter.error().text();
  EXPECT_TRUE(inter->communicator.is_inter());
  EXPECT_EQ(inter->communicator.remote.size(), 1U);

  EXPECT_FALSE(parse_communicator("abc"));
  EXPECT_FALSE(parse_communicator(definition(0, 6, {{0, 2, 4}}))) << "two short";
  EXPECT_FALSE(parse_communicator(definition(0, 3, {{0, 2, 4}}))) << "one too many";
  EXPECT_FALSE(parse_communicator(definition(0, 3, {{0, 2, 0}, {0, 2, 3}}))) << "a run of none";
  EXPECT_FALSE(parse_communicator(definition(0, 3, {{0, 2, 3}}) + "x")) << "bytes left over";
  EXPECT_FALSE(parse_communicator(definition(1, 2, {{0, 1, 2}}))) << "no remote group";
}

TEST(Communicator, TheTableComesBackAndDamageIsNoticed) {
  std::vector<Communicator> all = {{1, 0, {{0, 1, 64}}, {}},
                                   {2, 0, {{0, 8, 8}}, {}},
                                   {2, 0, {{1, 8, 8}}, {}},
                                   {3, 1, {{0, 1, 32}}, {{32, 1, 32}}}};
  ByteWriter out;
  put_communicators(out, all);
  ByteReader in(out.view());
  const auto taken = take_communicators(in);
  ASSERT_TRUE(taken) << taken.error().text();
  EXPECT_EQ(*taken, all);
  for (std::size_t length = 0; length < out.size(); ++length) {
    ByteReader cut(out.view().first(length));
    EXPECT_FALSE(take_communicators(cut)) << length;
  }
  Random random(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::byte> damaged(out.view().begin(), out.view().end());
    damaged[random.below(damaged.size())] ^= static_cast<std::byte>(1U << random.below(8));
    ByteReader bad(damaged);
    if (const auto read = take_communicators(bad); read)
      for (const Communicator& one : *read) (void)one.rank_of(17);
  }
}

}  // namespace
}  // namespace weir::trace
