#include "semantics/detail/file_identity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::semantics::detail {
namespace {

TEST(FileIdentity, ASymbolicLinkToADirectoryLeadsToTheFilesInIt) {
  FileIdentity files;
  files.soft_link("/run/link", "/run/real");
  files.soft_link("/top", "/run/link");
  const std::uint32_t file = files.open("/run/real/x");
  EXPECT_EQ(files.open("/run/link/x"), file);
  EXPECT_EQ(files.open("/top/x"), file);
  EXPECT_NE(files.open("/run/link2/x"), file);
  files.remove("/run/link/x");
  EXPECT_FALSE(files.known("/run/real/x"));
}

TEST(FileIdentity, RenamesAndLinksGoThroughLinksToDirectories) {
  FileIdentity files;
  files.soft_link("/link", "/real");
  const std::uint32_t file = files.open("/real/x");
  files.rename("/link/x", "/link/y");
  EXPECT_EQ(files.open("/real/y"), file);
  files.link("/link/y", "/link/z");
  EXPECT_EQ(files.open("/real/z"), file);
}

TEST(FileIdentity, LinksMoveWithTheirDirectory) {
  FileIdentity files;
  files.soft_link("/a/link", "/real");
  const std::uint32_t file = files.open("/a/link/x");
  files.rename("/a", "/b");
  EXPECT_EQ(files.open("/b/link/x"), file);
  EXPECT_NE(files.open("/a/link/x"), file);
}

TEST(FileIdentity, KnowsAllNamesAFileHad) {
  FileIdentity files;
  const std::uint32_t file = files.open("/d/x.tmp");
  files.rename("/d/x.tmp", "/d/x");
  files.rename("/d", "/e");
  files.link("/e/x", "/e/y");
  files.rename("/e/x", "/d/x");
  EXPECT_THAT(files.names()[file], testing::ElementsAre("/d/x.tmp", "/d/x", "/e/x", "/e/y"));
}

TEST(FileIdentity, TwoFilesOrDirectoriesChangePlaces) {
  FileIdentity files;
  const std::uint32_t file = files.open("/a");
  const std::uint32_t other = files.open("/d/x");
  files.exchange("/a", "/d");
  EXPECT_EQ(files.open("/d"), file);
  EXPECT_EQ(files.open("/a/x"), other);
  files.exchange("/d", "/d");
  files.exchange("/d", "/unknown");
  EXPECT_EQ(files.open("/unknown"), file);
  EXPECT_NE(files.open("/d"), file);
  EXPECT_THAT(files.names()[file], testing::ElementsAre("/a", "/d", "/unknown"));
}

TEST(FileIdentity, LinksInACircleLeadNowhere) {
  FileIdentity files;
  files.soft_link("/a", "/b");
  files.soft_link("/b", "/a");
  files.soft_link("/c", "/c/c");
  EXPECT_EQ(files.open("/a/x"), files.open("/a/x"));
  EXPECT_EQ(files.open("/c/x"), files.open("/c/x"));
}

}  // namespace
}  // namespace weir::semantics::detail
