// The sample texts beside the source tree, against numbers read off them by hand.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "monitor/find_value_test.hpp"
#include "monitor/parsers.hpp"

namespace weir::monitor {
namespace {

using test::value;
using ::testing::Optional;

auto is(double expected) { return Optional(::testing::DoubleEq(expected)); }

class Samples : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder_)) GTEST_SKIP() << "the samples in ../shared/samples are not here";
  }
  Parsed sample(const char* file, Format format, std::string_view instance = {}) const {
    const auto text = read_text(folder_ / file);
    EXPECT_TRUE(text.has_value()) << file;
    return parse(format, text.value_or(""), instance);
  }

  std::filesystem::path folder_ = std::filesystem::path(WEIR_SOURCE_DIR) / "../shared/samples";
};

TEST_F(Samples, Disks) {
  const auto disks = sample("diskstats.txt", Format::diskstats);
  EXPECT_EQ(disks.damaged, 0U);
  EXPECT_EQ(disks.counters.size(), 10U * 17U);
  EXPECT_THAT(value(disks, "disk:vda", "read_operations"), is(36099));
  EXPECT_THAT(value(disks, "disk:vda", "read_bytes"), is(4078762.0 * 512));
  EXPECT_THAT(value(disks, "disk:vda", "write_bytes"), is(979953048.0 * 512));
  EXPECT_THAT(value(disks, "disk:vda", "write_seconds"), is(1131.252));
  EXPECT_THAT(value(disks, "disk:vda", "discard_bytes"), is(640608728.0 * 512));
  EXPECT_THAT(value(disks, "disk:vda", "flush_seconds"), is(41.941));
  const auto stat = sample("sys_block_stat.txt", Format::block_stat, "vda");
  for (const Counter& counter : stat.counters)
    EXPECT_THAT(value(disks, "disk:vda", counter.name), is(counter.value)) << counter.name;
  EXPECT_EQ(stat.counters.size(), 17U);
}

TEST_F(Samples, Nfs) {
  const auto nfs = sample("nfs_mountstats.txt", Format::mountstats);
  EXPECT_EQ(nfs.damaged, 0U) << nfs.first_damaged;
  EXPECT_THAT(value(nfs, "nfs:/mnt/nfs/test", "application_read_bytes"), is(1207640230));
  EXPECT_THAT(value(nfs, "nfs:/mnt/nfs/test", "read_bytes"), is(1210214218));
  EXPECT_THAT(value(nfs, "nfs:/mnt/nfs/test", "received_bytes"), is(1210292152));
  EXPECT_THAT(value(nfs, "nfs:/mnt/nfs/test", "read_operations"), is(1298));
  EXPECT_THAT(value(nfs, "nfs:/mnt/nfs/test", "read_seconds"), is(79.407));
  EXPECT_THAT(value(nfs, "nfs:/mnt/nfs/test", "write_operations"), is(0));
}

TEST_F(Samples, Lustre) {
  const auto llite = sample("lustre_llite_stats.txt", Format::lustre_llite, "lustrefs");
  EXPECT_EQ(llite.damaged, 0U) << llite.first_damaged;
  EXPECT_THAT(value(llite, "lustre-llite:lustrefs", "application_write_bytes"), is(93813797294080.0));
  EXPECT_THAT(value(llite, "lustre-llite:lustrefs", "application_write_operations"), is(89467810));
  EXPECT_THAT(value(llite, "lustre-llite:lustrefs", "snapshot_seconds"), is(1510950459.772792457));
  EXPECT_THAT(value(llite, "lustre-llite:lustrefs", "getxattr_hits_operations"), is(20));
  const auto osc = sample("lustre_osc_stats.txt", Format::lustre_osc, "a");
  EXPECT_EQ(osc.damaged, 0U) << osc.first_damaged;
  EXPECT_THAT(value(osc, "lustre-osc:a", "write_bytes"), is(65298098221056.0));
  EXPECT_THAT(value(osc, "lustre-osc:a", "write_operations"), is(18210280));
  EXPECT_THAT(value(osc, "lustre-osc:a", "write_seconds"), is(110277.857878));
  const auto target = sample("lustre_obdfilter_stats.txt", Format::lustre_obdfilter, "b");
  EXPECT_EQ(target.damaged, 0U) << target.first_damaged;
  EXPECT_THAT(value(target, "lustre-obdfilter:b", "write_bytes"), is(51473433403392.0));
  EXPECT_THAT(value(target, "lustre-obdfilter:b", "statfs_operations"), is(314187 + 376818));
  EXPECT_THAT(value(target, "lustre-obdfilter:b", "snapshot_seconds"), is(1497639750.012141));
}

TEST_F(Samples, Gpfs) {
  const auto gpfs = sample("gpfs_mmpmon_p.txt", Format::mmpmon);
  EXPECT_EQ(gpfs.damaged, 0U) << gpfs.first_damaged;
  EXPECT_THAT(value(gpfs, "gpfs:node1/gpfs1m", "application_write_bytes"), is(4309647360.0));
  EXPECT_THAT(value(gpfs, "gpfs:node1/gpfs1m", "application_write_operations"), is(4116));
  EXPECT_THAT(value(gpfs, "gpfs-node:node1", "application_read_bytes"), is(6291456));
  EXPECT_THAT(value(gpfs, "gpfs-node:node1", "application_read_operations"), is(101));
}

TEST_F(Samples, Infiniband) {
  const auto port = sample("infiniband_counters.txt", Format::infiniband, "mlx4_0/1");
  EXPECT_EQ(port.damaged, 0U) << port.first_damaged;
  EXPECT_THAT(value(port, "ib:mlx4_0/1", "sent_bytes"), is(4 * 26509113295.0));
  EXPECT_THAT(value(port, "ib:mlx4_0/1", "received_bytes"), is(4 * 2221223609.0));
  EXPECT_THAT(value(port, "ib:mlx4_0/1", "rate_bytes_per_second"), is(5e9));
}

TEST_F(Samples, ControlGroups) {
  const auto one = sample("cgroup1_blkio_service_bytes.txt", Format::blkio_bytes);
  EXPECT_EQ(one.damaged, 0U);
  EXPECT_THAT(value(one, "cgroup:7:20", "write_bytes"), is(2025862144));
  EXPECT_THAT(value(one, "cgroup:7:18", "write_bytes"), is(2025862144));
  EXPECT_EQ(one.counters.size(), 8U);
  const auto two = sample("cgroup2_io_stat.txt", Format::io_stat);
  EXPECT_EQ(two.damaged, 0U);
  EXPECT_THAT(value(two, "cgroup:8:16", "write_bytes"), is(314773504));
  EXPECT_THAT(value(two, "cgroup:8:0", "discard_operations"), is(3021));
}

TEST_F(Samples, GlusterTextAndXmlAgree) {
  const auto text = sample("gluster_profile.txt", Format::gluster_text);
  const auto xml = sample("gluster_profile.xml", Format::gluster_xml);
  EXPECT_EQ(text.damaged, 0U) << text.first_damaged;
  EXPECT_EQ(xml.damaged, 0U) << xml.first_damaged;
  EXPECT_THAT(value(text, "gluster:node1:/bricks/b1/brick", "write_bytes"), is(3941597184.0));
  EXPECT_THAT(value(text, "gluster:node1:/bricks/b1/brick", "write_operations"), is(30070));
  EXPECT_THAT(value(text, "gluster:node1:/bricks/b4/brick", "write_seconds"), is(128 * 278445.49e-9));
  EXPECT_THAT(value(text, "gluster:node1:/bricks/b3/brick", "fsync_operations"), is(3));
  for (const Counter& counter : xml.counters) {
    if (counter.name.starts_with("stat_")) continue;  // GlusterFS 10.3 writes UPCALL as STAT into its XML
    const auto other = value(text, counter.source, counter.name);
    ASSERT_TRUE(other.has_value()) << counter.source << " " << counter.name;
    // The text rounds mean times to a hundredth of a nanosecond.
    EXPECT_NEAR(*other, counter.value, 1e-6 * counter.value) << counter.source << " " << counter.name;
  }
}

TEST_F(Samples, Pressure) {
  // Two resources one after the other in one file: the last one counts.
  const auto both = sample("psi.txt", Format::pressure, "io");
  EXPECT_EQ(both.damaged, 0U);
  EXPECT_THAT(value(both, "psi:io", "some_seconds"), is(651.212696));
  EXPECT_THAT(value(both, "psi:io", "full_seconds"), is(80.583205));
}

}  // namespace
}  // namespace weir::monitor
