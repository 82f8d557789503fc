#include "monitor/detail/sources.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mounts.hpp"
#include "monitor/detail/devices.hpp"
#include "monitor/detail/mount_options.hpp"
#include "monitor/fake_system_test.hpp"

namespace weir::monitor {
namespace {

using test::disk_stat;
using test::FakeSystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

detail::Sources find(const FakeSystem& system, const std::vector<std::filesystem::path>& directories) {
  return detail::find_sources({.root = system.root(), .directories = directories, .commands = {}});
}

std::vector<std::string> paths(const detail::Sources& sources, const FakeSystem& system, Format format) {
  std::vector<std::string> found;
  for (const auto& file : sources.files)
    if (file.format == format)
      for (const auto& path : file.paths) found.push_back(path.lexically_relative(system.root()).string());
  return found;
}

TEST(Mounts, TheDeepestAndLastMountHoldsADirectory) {
  const auto mounts = parse_mountinfo(
      "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
      "23 22 8:2 / /data rw - xfs /dev/sda2 rw\n"
      "24 22 8:3 / /data rw master:3 propagate_from:2 - ext4 /dev/sda3 rw,discard\n"
      "25 22 0:40 / /mnt/my\\040disk rw - nfs4 server:/x\\134y rw\n"
      "damaged\n"
      "26 22 8:4\n");
  ASSERT_EQ(mounts.size(), 4U);
  const auto device = [&](const char* path) { return mount_of(mounts, path)->device; };
  EXPECT_EQ(device("/"), "8:1");
  EXPECT_EQ(device("/database"), "8:1");
  EXPECT_EQ(device("/data/x"), "8:3");
  EXPECT_EQ(device("/mnt/my disk/a"), "0:40");
  EXPECT_EQ(mounts[3].source, "server:/x\\y");
  EXPECT_EQ(mounts[3].point_as_written, "/mnt/my\\040disk");
  EXPECT_TRUE(detail::has_option(mounts[2].options, "discard"));
  EXPECT_EQ(mount_of({}, "/"), nullptr);
}

TEST(Sources, APartitionIsItsWholeDisk) {
  const FakeSystem system;
  system.disk("sda", "8:0", disk_stat(1, 1));
  system.partition("sda", "sda1", "8:1");
  system.mounts("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
  const auto sources = find(system, {"/home/me"});
  EXPECT_THAT(sources.storage.devices, ElementsAre("disk:sda"));
  EXPECT_THAT(sources.storage.beneath, IsEmpty());
  EXPECT_THAT(paths(sources, system, Format::block_stat), ElementsAre("sys/block/sda/stat"));
}

TEST(Sources, DeviceMapperAndLoopLeadToTheDisksBelow) {
  const FakeSystem system;
  system.disk("sda", "8:0", disk_stat(1, 1));
  system.partition("sda", "sda1", "8:1");
  system.disk("sdb", "8:16", disk_stat(1, 1));
  system.disk("dm-0", "253:0", disk_stat(1, 1));
  system.link("sys/devices/block/dm-0/slaves/sda1", "sys/devices/block/sda/sda1");
  system.link("sys/devices/block/dm-0/slaves/sdb", "sys/devices/block/sdb");
  system.disk("loop3", "7:3", disk_stat(1, 1));
  system.write("sys/devices/block/loop3/loop/backing_file", "/pool/image with blank\n");
  system.mounts(
      "22 1 0:1 / / rw - tmpfs none rw\n"
      "23 22 253:0 / /pool rw - xfs /dev/mapper/vg-pool rw\n"
      "24 22 7:3 / /bed rw - ext4 /dev/loop3 rw\n");
  const auto sources = find(system, {"/bed"});
  EXPECT_THAT(sources.storage.devices, ElementsAre("disk:loop3"));
  EXPECT_THAT(sources.storage.beneath, UnorderedElementsAre("disk:dm-0", "disk:sda", "disk:sdb"));
  EXPECT_EQ(paths(sources, system, Format::block_stat).size(), 4U);
  EXPECT_THAT(find(system, {"/bed", "/pool"}).storage.devices, ElementsAre("disk:loop3"))
      << "what lies under another directory's disk is judged there";
}

TEST(Sources, ALoopOfDevicesEnds) {
  const FakeSystem system;
  system.disk("md0", "9:0", disk_stat(1, 1));
  system.disk("md1", "9:1", disk_stat(1, 1));
  system.link("sys/devices/block/md0/slaves/md1", "sys/devices/block/md1");
  system.link("sys/devices/block/md1/slaves/md0", "sys/devices/block/md0");
  system.mounts("22 1 9:0 / / rw - ext4 /dev/md0 rw\n");
  EXPECT_THAT(find(system, {"/"}).storage.beneath, UnorderedElementsAre("disk:md0", "disk:md1"));
}

TEST(Sources, BtrfsAndOverlaysAreTracedByName) {
  const FakeSystem system;
  system.disk("sda", "8:0", disk_stat(1, 1));
  system.partition("sda", "sda2", "8:2");
  system.write("dev/sda2", "");
  system.mounts(
      "22 1 0:33 / / rw - btrfs /dev/sda2 rw\n"
      "23 22 0:50 / /container rw - overlay overlay rw,lowerdir=/lower,upperdir=/var/upper,workdir=/w\n");
  EXPECT_THAT(find(system, {"/"}).storage.devices, ElementsAre("disk:sda"));
  EXPECT_THAT(find(system, {"/container/x"}).storage.devices, ElementsAre("disk:sda"));
}

TEST(Sources, WithoutABlockDeviceItIsSaid) {
  const FakeSystem system;
  system.mounts("22 1 0:1 / /dev/shm rw - tmpfs tmpfs rw\n");
  const auto sources = find(system, {"/dev/shm/x"});
  EXPECT_THAT(sources.storage.devices, IsEmpty());
  EXPECT_THAT(sources.storage.elsewhere, ElementsAre("/dev/shm/x: tmpfs, no block device"));
  EXPECT_THAT(sources.absent, Contains("disk: /dev/shm/x: tmpfs, no block device"));
  EXPECT_THAT(find(system, {"/nowhere"}).storage.elsewhere, ElementsAre("/nowhere: on no known mount"));
}

TEST(Sources, EverythingAbsentIsOneLineAKind) {
  const FakeSystem system;
  const auto sources =
      detail::find_sources({.root = system.root(), .directories = {}, .everything = true, .commands = {}});
  EXPECT_THAT(sources.files, IsEmpty());
  std::vector<std::string> kinds;
  for (const std::string& line : sources.absent) kinds.push_back(line.substr(0, line.find(':')));
  EXPECT_THAT(kinds,
              UnorderedElementsAre("disk", "nfs", "lustre", "gpfs", "gluster", "ib", "cgroup", "psi", "cpu"));
  for (const std::string& line : sources.absent)
    if (line.starts_with("disk")) {
      EXPECT_THAT(line, HasSubstr("proc/diskstats"));
    }
}

TEST(Sources, NetworkFileSystemsOfTheDirectoriesAlone) {
  const FakeSystem system;
  system.mounts(
      "22 1 0:1 / / rw - tmpfs none rw\n"
      "23 22 0:2 / /home rw - nfs4 server:/home rw\n"
      "24 22 0:3 / /other rw - nfs server:/other rw\n"
      "25 22 0:4 / /scratch rw - lustre 10.0.0.1@tcp:10.0.0.2@tcp:/big rw\n");
  system.write("proc/self/mountstats", "");
  for (const char* name : {"big-ffff8810", "bigger-ffff8811"})
    system.write(std::string("proc/fs/lustre/llite/") + name + "/stats", "");
  system.write("sys/kernel/debug/lustre/osc/big-OST0000-osc-ffff8810/stats", "");
  system.write("sys/kernel/debug/lustre/osc/bigger-OST0000-osc-ffff8811/stats", "");

  const auto home = find(system, {"/home/me"});
  ASSERT_THAT(paths(home, system, Format::mountstats), ElementsAre("proc/self/mountstats"));
  const auto& nfs = *std::ranges::find(home.files, Format::mountstats, &detail::SourceFile::format);
  EXPECT_TRUE(nfs.wanted("/home"));
  EXPECT_FALSE(nfs.wanted("/other"));
  EXPECT_THAT(home.absent, Contains(StartsWith("lustre: no such mount")));

  const auto scratch = find(system, {"/scratch"});
  EXPECT_THAT(paths(scratch, system, Format::mountstats), IsEmpty());
  EXPECT_THAT(paths(scratch, system, Format::lustre_llite),
              ElementsAre("proc/fs/lustre/llite/big-ffff8810/stats"));
  EXPECT_THAT(paths(scratch, system, Format::lustre_osc),
              ElementsAre("sys/kernel/debug/lustre/osc/big-OST0000-osc-ffff8810/stats"));
  const auto& osc = *std::ranges::find(scratch.files, Format::lustre_osc, &detail::SourceFile::format);
  EXPECT_EQ(osc.instance, "big-OST0000");
  EXPECT_THAT(scratch.absent, Not(Contains(StartsWith("lustre"))));
}

TEST(Sources, TheGroupOfThisProcess) {
  const FakeSystem system;
  system.mounts(
      "31 1 0:35 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n"
      "32 1 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  system.write("proc/self/cgroup", "7:blkio:/job_1\n6:freezer:/\n0::/user.slice\n");
  EXPECT_THAT(find(system, {}).absent, Contains(HasSubstr("cgroup: no ")));
  system.write("sys/fs/cgroup/blkio/job_1/blkio.throttle.io_service_bytes", "");
  system.write("sys/fs/cgroup/blkio/job_1/blkio.throttle.io_serviced", "");
  system.write("sys/fs/cgroup/unified/user.slice/io.stat", "");
  const auto sources = find(system, {});
  EXPECT_EQ(paths(sources, system, Format::blkio_bytes).size(), 1U);
  EXPECT_EQ(paths(sources, system, Format::blkio_operations).size(), 1U);
  EXPECT_THAT(paths(sources, system, Format::io_stat),
              ElementsAre("sys/fs/cgroup/unified/user.slice/io.stat"));
  EXPECT_THAT(sources.absent, Not(Contains(StartsWith("cgroup"))));
}

TEST(Sources, InfinibandPrefersWideCounters) {
  const FakeSystem system;
  const std::string port = "sys/class/infiniband/mlx4_0/ports/1/";
  system.write(port + "counters/port_xmit_data", "1\n");
  system.write(port + "counters/port_rcv_data", "1\n");
  system.write(port + "counters_ext/port_xmit_data_64", "1\n");
  EXPECT_THAT(paths(find(system, {}), system, Format::infiniband),
              ElementsAre(port + "counters_ext/port_xmit_data_64", port + "counters/port_rcv_data"));
}

}  // namespace
}  // namespace weir::monitor
