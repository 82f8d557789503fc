#include "base/mounts.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"

namespace weir {
namespace {

TEST(Mounts, AreReadAndFound) {
  const ScratchDir scratch;
  std::filesystem::create_directories(scratch.path() / "proc/self");
  std::ofstream(scratch.path() / "proc/self/mountinfo")
      << "21 1 259:1 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p1 rw,errors=remount-ro\n"
         "30 21 0:40 / /mnt/a\\040b rw - nfs4 server:/export rw,vers=4.2\n"
         "31 21 8:1 / /mnt rw,noatime - xfs /dev/sda1 rw\n"
         "garbage\n"
         "32 21 8:17 / /mnt rw - ext4 /dev/sdb1 rw\n";
  const auto mounts = read_mounts(scratch.path());
  ASSERT_EQ(mounts.size(), 4U);
  EXPECT_EQ(mounts[1].point, "/mnt/a b");
  EXPECT_EQ(mounts[2].mount_options, "rw,noatime");
  EXPECT_EQ(mount_of(mounts, "/mnt/a b/c")->source, "server:/export");
  EXPECT_EQ(mount_of(mounts, "/mnt/a")->device, "8:17") << "the later of two mounts at one point";
  EXPECT_EQ(mount_of(mounts, "/mntx")->type, "ext4");
  EXPECT_EQ(mount_of(mounts, "/mntx")->options, "rw,errors=remount-ro");
  EXPECT_EQ(mount_of({}, "/"), nullptr);
}

TEST(Mounts, NothingIsReadWhereThereIsNothing) {
  const ScratchDir scratch;
  EXPECT_TRUE(read_mounts(scratch.path()).empty());
}

}  // namespace
}  // namespace weir
