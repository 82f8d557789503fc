#include "burst/client/file_reader.hpp"

#include <string>

#include <gtest/gtest.h>

#include "burst/test_cluster.hpp"

namespace weir::burst {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{2} << 20;

void write_pieces(FileSystem& system, const std::string& name, std::uint64_t pieces) {
  const auto writer = open_with(system, name, "session");
  for (std::uint64_t i = 0; i < pieces; ++i)
    ASSERT_EQ(write_text(*writer, std::string(kPiece, 'a'), i * kPiece), 0);
  ASSERT_EQ(writer->close(), 0);
}

void read_pieces(File& file, std::uint64_t pieces) {
  for (std::uint64_t i = 0; i < pieces; ++i)
    ASSERT_EQ(read_text_at(file, kPiece, i * kPiece), std::string(kPiece, 'a'));
}

TEST(FileReader, PiecesOfThisNodeThatAreReadInOrderAreMappedAhead) {
  TestCluster cluster(2);
  const auto here = cluster.client(0);
  const auto elsewhere = cluster.client(1);
  write_pieces(*here, "a", 6);
  read_pieces(*open_with(*here, "a", "session", O_RDONLY), 6);
  EXPECT_EQ(here->touched_soon(), 6 * kPiece - kPiece / 2);
  read_pieces(*open_with(*elsewhere, "a", "session", O_RDONLY), 6);
  EXPECT_EQ(elsewhere->touched_soon(), 0);
}

TEST(FileReader, WhoReadsFilesWholeHasTheNextOneMappedThatIsWorthIt) {
  TestCluster cluster(2);
  const auto reader = cluster.client(0);
  write_pieces(*reader, "first", 1);
  write_pieces(*reader, "next", 3);
  write_pieces(*cluster.client(1), "elsewhere", 3);
  ASSERT_EQ(write_text(*open_with(*reader, "small", "session"), "text", 0), 0);
  const auto opening_maps = [&](const std::string& name) {
    const std::uint64_t before = reader->touched_soon();
    open_with(*reader, name, "session", O_RDONLY);
    return reader->touched_soon() - before;
  };
  EXPECT_EQ(opening_maps("next"), 0);
  read_pieces(*open_with(*reader, "first", "session", O_RDONLY), 1);
  EXPECT_EQ(opening_maps("small"), 0);
  EXPECT_EQ(opening_maps("elsewhere"), 0);
  EXPECT_EQ(opening_maps("next"), 3 * kPiece);
  EXPECT_EQ(opening_maps("next"), 0);  // one file vouches for one
}

TEST(FileReader, OfAFileInManySmallPiecesAFewAreMappedAhead) {
  constexpr std::uint64_t kSmall = 512;
  TestCluster cluster;
  const auto system = cluster.client();
  const auto writer = open_with(*system, "scattered", "session");
  const std::string text(kSmall, 'a');
  for (std::uint64_t at = 2 * kPiece; at > 0; at -= kSmall)  // backwards, so that nothing is one in the log
    ASSERT_EQ(write_text(*writer, text, at - kSmall), 0);
  ASSERT_EQ(writer->close(), 0);
  const auto reader = open_with(*system, "scattered", "session", O_RDONLY);
  ASSERT_EQ(read_text_at(*reader, kPiece, 0), std::string(kPiece, 'a'));
  EXPECT_EQ(system->touched_soon(), 512 * kSmall);
}

}  // namespace
}  // namespace weir::burst
