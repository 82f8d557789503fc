#include "monitor/parsers.hpp"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "monitor/find_value_test.hpp"

namespace weir::monitor {
namespace {

using test::value;
using ::testing::Optional;

auto is(double expected) { return Optional(::testing::DoubleEq(expected)); }

TEST(Diskstats, Reads14And18And20Fields) {
  const auto parsed = parse(Format::diskstats,
                            "   8       0 sda 10 1 200 30 40 2 800 50 3 60 70\n"
                            "   8      16 sdb 10 1 200 30 40 2 800 50 0 60 70 5 6 16 8\n"
                            " 259       0 nvme0n1 10 1 200 30 40 2 800 50 0 60 70 5 6 16 8 9 1500\n");
  EXPECT_EQ(parsed.damaged, 0U);
  EXPECT_THAT(value(parsed, "disk:sda", "read_operations"), is(10));
  EXPECT_THAT(value(parsed, "disk:sda", "read_bytes"), is(200 * 512));
  EXPECT_THAT(value(parsed, "disk:sda", "read_seconds"), is(0.030));
  EXPECT_THAT(value(parsed, "disk:sda", "write_operations"), is(40));
  EXPECT_THAT(value(parsed, "disk:sda", "write_merges"), is(2));
  EXPECT_THAT(value(parsed, "disk:sda", "write_bytes"), is(800 * 512));
  EXPECT_THAT(value(parsed, "disk:sda", "write_seconds"), is(0.050));
  EXPECT_THAT(value(parsed, "disk:sda", "in_flight"), is(3));
  EXPECT_THAT(value(parsed, "disk:sda", "busy_seconds"), is(0.060));
  EXPECT_THAT(value(parsed, "disk:sda", "queue_seconds"), is(0.070));
  EXPECT_EQ(value(parsed, "disk:sda", "discard_bytes"), std::nullopt);
  EXPECT_THAT(value(parsed, "disk:sdb", "discard_bytes"), is(16 * 512));
  EXPECT_EQ(value(parsed, "disk:sdb", "flush_operations"), std::nullopt);
  EXPECT_THAT(value(parsed, "disk:nvme0n1", "flush_operations"), is(9));
  EXPECT_THAT(value(parsed, "disk:nvme0n1", "flush_seconds"), is(1.5));
}

TEST(Diskstats, LevelsAndWrapsAreSaid) {
  const auto parsed = parse(Format::diskstats, "8 0 sda 10 1 200 30 40 2 800 50 3 60 70\n");
  for (const Counter& counter : parsed.counters) {
    EXPECT_EQ(counter.total, counter.name != "in_flight") << counter.name;
    if (counter.name.ends_with("_seconds")) {
      EXPECT_DOUBLE_EQ(counter.wraps_at, 4294967.296) << counter.name;
    }
  }
}

TEST(Diskstats, DamagedLinesAreSkippedAndTheFirstIsQuoted) {
  const auto parsed = parse(Format::diskstats,
                            "8 0 sda ten 1 200 30 40 2 800 50 3 60 70\n"                   // text
                            "8 0 sdb 10 1 200 30 40 2 800 50 3\n"                          // cut off
                            "8 0 sdc 10 1 -200 30 40 2 800 50 3 60 70\n"                   // negative
                            "8 0 sdd 99999999999999999999 1 200 30 40 2 800 50 3 60 70\n"  // beyond 64 bits
                            "8 0 sde 10 1 200 30 40 2 800 50 3 60 70 5\n"  // between two versions
                            "x 0 sdf 10 1 200 30 40 2 800 50 3 60 70\n"
                            "\n"
                            "8 0 sdg 10 1 200 30 40 2 800 50 3 60 70");
  EXPECT_EQ(parsed.damaged, 6U);
  EXPECT_EQ(parsed.first_damaged, "8 0 sda ten 1 200 30 40 2 800 50 3 60 70");
  for (const Counter& counter : parsed.counters) EXPECT_EQ(counter.source, "disk:sdg");
  EXPECT_EQ(parsed.counters.size(), 11U);
}

TEST(Parsers, AQuotedLineIsShortAndPrintable) {
  const auto parsed = parse(Format::diskstats, "8 0 \x1b[31m" + std::string(500, 'x') + "\n");
  EXPECT_LE(parsed.first_damaged.size(), 90U);
  EXPECT_TRUE(parsed.first_damaged.starts_with("8 0 ?[31mxxx"));
  EXPECT_TRUE(parsed.first_damaged.ends_with("..."));
}

TEST(BlockStat, IsOfTheDiskThatIsNamed) {
  const auto parsed = parse(Format::block_stat, "  10 1 200 30 40 2 800 50 0 60 70 5 6 16 8 9 1500\n", "sdx");
  EXPECT_THAT(value(parsed, "disk:sdx", "write_bytes"), is(800 * 512));
  EXPECT_THAT(value(parsed, "disk:sdx", "flush_seconds"), is(1.5));
  EXPECT_EQ(parse(Format::block_stat, "1 2 3\n", "sdx").damaged, 1U);
}

constexpr std::string_view kMountstats =
    "device /dev/sda1 mounted on / with fstype ext4\n"
    "no device mounted on /proc with fstype proc\n"
    "device fs:/home mounted on /home with fstype nfs statvers=1.1\n"
    "\topts:\trw,vers=3\n"
    "\tage:\t13968\n"
    "\tbytes:\t100 200 30 40 5000 6000 7 8\n"
    "\tRPC iostats version: 1.0  p/v: 100003/3 (nfs)\n"
    "\txprt:\ttcp 832 0 1 0 11 6428 6428 0 12154 0 24 26 5726\n"
    "\tper-op statistics\n"
    "\t        NULL: 0 0 0 0 0 0 0 0\n"
    "\t        READ: 10 12 1 1000 5100 6 70 90\n"
    "\t       WRITE: 20 20 0 6200 2000 7 80 1500\n"
    "\t     GETATTR: 5 5 0 500 600 1 2 3\n"
    "\n"
    "device fs:/scratch mounted on /mnt/my\\040disk with fstype nfs4 statvers=1.1\n"
    "\tbytes:\t1 2 3 4 5 6 7 8\n"
    "\tper-op statistics\n"
    "\t        READ: 1 1 0 10 20 0 1 2 4\n"
    "\t       WRITE: 0 0 0 0 0 0 0 0 0\n";

TEST(Mountstats, ReadsEightAndNineColumns) {
  const auto parsed = parse(Format::mountstats, kMountstats);
  EXPECT_EQ(parsed.damaged, 0U) << parsed.first_damaged;
  EXPECT_THAT(value(parsed, "nfs:/home", "application_read_bytes"), is(130));
  EXPECT_THAT(value(parsed, "nfs:/home", "application_write_bytes"), is(240));
  EXPECT_THAT(value(parsed, "nfs:/home", "read_bytes"), is(5000));
  EXPECT_THAT(value(parsed, "nfs:/home", "write_bytes"), is(6000));
  EXPECT_THAT(value(parsed, "nfs:/home", "read_operations"), is(10));
  EXPECT_THAT(value(parsed, "nfs:/home", "read_seconds"), is(0.09));
  EXPECT_THAT(value(parsed, "nfs:/home", "read_network_seconds"), is(0.07));
  EXPECT_THAT(value(parsed, "nfs:/home", "write_seconds"), is(1.5));
  EXPECT_THAT(value(parsed, "nfs:/home", "getattr_operations"), is(5));
  EXPECT_THAT(value(parsed, "nfs:/home", "retransmissions"), is(2));
  EXPECT_THAT(value(parsed, "nfs:/home", "timeouts"), is(1));
  EXPECT_THAT(value(parsed, "nfs:/home", "sent_bytes"), is(7700));
  EXPECT_THAT(value(parsed, "nfs:/home", "received_bytes"), is(7700));
  EXPECT_EQ(value(parsed, "nfs:/home", "errors"), std::nullopt);
  EXPECT_EQ(value(parsed, "nfs:/home", "null_operations"), std::nullopt);
  EXPECT_THAT(value(parsed, "nfs:/mnt/my\\040disk", "errors"), is(4));
  for (const Counter& counter : parsed.counters) EXPECT_TRUE(counter.source.starts_with("nfs:"));
}

TEST(Mountstats, ADamagedOperationLeavesTheOthers) {
  const auto parsed = parse(Format::mountstats,
                            "device fs:/a mounted on /a with fstype nfs4\n"
                            "\tbytes:\t1 2 3\n"
                            "\tper-op statistics\n"
                            "\t READ: 1 1 0 10 20 0 1\n"
                            "\t WRITE: 3 3 0 x 20 0 1 2\n"
                            "\t COMMIT: 4 4 0 10 20 0 1 2\n");
  EXPECT_EQ(parsed.damaged, 3U);
  EXPECT_EQ(parsed.first_damaged, "bytes:?1 2 3");
  EXPECT_THAT(value(parsed, "nfs:/a", "commit_operations"), is(4));
  EXPECT_EQ(value(parsed, "nfs:/a", "read_operations"), std::nullopt);
}

TEST(Lustre, LliteIsWhatProgramsAskFor) {
  const auto parsed = parse(Format::lustre_llite,
                            "snapshot_time             1600000000.000000500 secs.nsecs\n"
                            "read_bytes                3 samples [bytes] 1 4096 5000\n"
                            "write_bytes               4 samples [bytes] 1 4096 9000 123456\n"
                            "read                      3 samples [usec] 1 9 1500000 99\n"
                            "open                      7 samples [regs]\n"
                            "statfs                    2 samples [regs]\n"
                            "statfs                    5 samples [regs]\n",
                            "scratch");
  EXPECT_EQ(parsed.damaged, 0U) << parsed.first_damaged;
  EXPECT_THAT(value(parsed, "lustre-llite:scratch", "application_read_bytes"), is(5000));
  EXPECT_THAT(value(parsed, "lustre-llite:scratch", "application_read_operations"), is(3));
  EXPECT_THAT(value(parsed, "lustre-llite:scratch", "application_read_seconds"), is(1.5));
  EXPECT_THAT(value(parsed, "lustre-llite:scratch", "application_write_bytes"), is(9000));
  EXPECT_THAT(value(parsed, "lustre-llite:scratch", "open_operations"), is(7));
  EXPECT_THAT(value(parsed, "lustre-llite:scratch", "statfs_operations"), is(7))
      << "repeated names are added";
  EXPECT_EQ(value(parsed, "lustre-llite:scratch", "read_bytes"), std::nullopt) << "that is another level";
}

TEST(Lustre, OscIsWhatCrossesTheNetwork) {
  const auto parsed =
      parse(Format::lustre_osc,
            "req_waittime              9 samples [usec] 69 1348 2500000 83428742\n"
            "req_active                9 samples [reqs] 1 17 83 470\n"
            "write_bytes               4 samples [bytes] 4096 4194304 8192 18446744073709551616\n"
            "ost_write                 4 samples [usec] 119 1348 250000 8341\n"
            "ost_connect               1 samples [usec] 603 603 603 363609\n",
            "scratch-OST0000");
  EXPECT_EQ(parsed.damaged, 0U) << parsed.first_damaged;
  constexpr std::string_view kSource = "lustre-osc:scratch-OST0000";
  EXPECT_THAT(value(parsed, kSource, "write_bytes"), is(8192));
  EXPECT_THAT(value(parsed, kSource, "write_operations"), is(4));
  EXPECT_THAT(value(parsed, kSource, "write_seconds"), is(0.25));
  EXPECT_THAT(value(parsed, kSource, "req_waittime_seconds"), is(2.5));
  EXPECT_THAT(value(parsed, kSource, "req_active_operations"), is(9));
  EXPECT_THAT(value(parsed, kSource, "ost_connect_seconds"), is(603e-6));
}

TEST(Lustre, MicrosecondsOfATimeAreANumberNotDigits) {
  const auto at = [](std::string_view line) {
    return value(parse(Format::lustre_obdfilter, line, "t"), "lustre-obdfilter:t", "snapshot_seconds");
  };
  EXPECT_THAT(at("snapshot_time 1000.5 secs.usecs"), is(1000.000005));
  EXPECT_THAT(at("snapshot_time 1000.500000 secs.usecs"), is(1000.5));
  EXPECT_THAT(at("snapshot_time 1000.000000005 secs.nsecs"), is(1000.000000005));
  EXPECT_EQ(at("snapshot_time 1000.1000000 secs.usecs"), std::nullopt);
  EXPECT_EQ(at("snapshot_time 1000 secs.usecs"), std::nullopt);
}

TEST(Lustre, DamagedLinesAreSkipped) {
  const auto parsed = parse(Format::lustre_obdfilter,
                            "write_bytes 4 samples [bytes] 1 2\n"
                            "write_bytes 4 sampl\n"
                            "write_bytes -4 samples [bytes] 1 2 3\n"
                            "write_bytes 4 samples bytes 1 2 3\n"
                            "read_bytes 4 samples [bytes] 1 2 99\n",
                            "t");
  EXPECT_EQ(parsed.damaged, 4U);
  EXPECT_EQ(parsed.first_damaged, "write_bytes 4 samples [bytes] 1 2");
  EXPECT_THAT(value(parsed, "lustre-obdfilter:t", "read_bytes"), is(99));
  EXPECT_EQ(value(parsed, "lustre-obdfilter:t", "write_bytes"), std::nullopt);
}

TEST(Mmpmon, TheLastAnswerOfAFileSystemCounts) {
  const auto parsed = parse(
      Format::mmpmon,
      "_ver_ _n_ 10.0.0.1 _nn_ n1 _v_ 3 _lv_ 3 _vt_ 0\n"
      "_fs_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 0 _t_ 100 _tu_ 250000 _cl_ c _fs_ big _d_ 3 _br_ 1 _bw_ 10 _oc_ 4 "
      "_cc_ 3 _rdc_ 2 _wc_ 5 _dir_ 6 _iu_ 7\n"
      "_fs_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 0 _t_ 101 _tu_ 0 _cl_ c _fs_ big _d_ 3 _br_ 1 _bw_ 30 _oc_ 4 _cc_ "
      "3 "
      "_rdc_ 2 _wc_ 9 _dir_ 6 _iu_ 7\n"
      "_fs_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 1 _t_ 101 _tu_ 0 _cl_ - _fs_ -\n"
      "_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 0 _t_ 101 _tu_ 5 _br_ 100 _bw_ 200 _oc_ 1 _cc_ 1 _rdc_ 1 _wc_ 1 "
      "_dir_ 0 "
      "_iu_ 0\n"
      "_fs_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 0 _t_ 101 _tu_ 0 _cl_ c _fs_ big _d_ 3 _br_ x\n");
  EXPECT_EQ(parsed.damaged, 2U);
  EXPECT_TRUE(parsed.first_damaged.starts_with("_fs_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 1"));
  EXPECT_THAT(value(parsed, "gpfs:n1/big", "application_write_bytes"), is(30));
  EXPECT_THAT(value(parsed, "gpfs:n1/big", "application_write_operations"), is(9));
  EXPECT_THAT(value(parsed, "gpfs:n1/big", "open_operations"), is(4));
  EXPECT_THAT(value(parsed, "gpfs:n1/big", "readdir_operations"), is(6));
  EXPECT_THAT(value(parsed, "gpfs:n1/big", "snapshot_seconds"), is(101));
  EXPECT_THAT(value(parsed, "gpfs-node:n1", "application_read_bytes"), is(100));
}

TEST(Infiniband, DataIsCountedInWordsOfFourBytes) {
  const auto parsed =
      parse(Format::infiniband,
            "port_rcv_data 100\nport_xmit_data 250\nport_rcv_packets 3\nport_xmit_packets 4\n"
            "rate 100 Gb/sec (4X EDR)\nstate 4: ACTIVE\nlink_downed 2\nport_rcv_errors N/A (no PMA)\n",
            "mlx5_0/1");
  EXPECT_EQ(parsed.damaged, 0U) << parsed.first_damaged;
  EXPECT_THAT(value(parsed, "ib:mlx5_0/1", "received_bytes"), is(400));
  EXPECT_THAT(value(parsed, "ib:mlx5_0/1", "sent_bytes"), is(1000));
  EXPECT_THAT(value(parsed, "ib:mlx5_0/1", "received_packets"), is(3));
  EXPECT_THAT(value(parsed, "ib:mlx5_0/1", "rate_bytes_per_second"), is(12.5e9));
  EXPECT_THAT(value(parsed, "ib:mlx5_0/1", "link_failures"), is(2));
}

TEST(Infiniband, ACounterThatIsFullIsNotTakenForSilence) {
  const auto parsed = parse(Format::infiniband,
                            "port_xmit_data 4294967295\nport_xmit_data_64 4294967295\nport_rcv_errors 65535\n"
                            "port_rcv_data 4294967296\n",
                            "mlx4_0/1");
  EXPECT_EQ(parsed.damaged, 2U);
  EXPECT_EQ(parsed.first_damaged, "port_xmit_data 4294967295");
  EXPECT_THAT(value(parsed, "ib:mlx4_0/1", "sent_bytes"), is(4.0 * 4294967295.0));
  EXPECT_THAT(value(parsed, "ib:mlx4_0/1", "received_bytes"), is(4.0 * 4294967296.0));
}

TEST(Cgroup, VersionsOneAndTwoSayTheSame) {
  auto one =
      parse(Format::blkio_bytes,
            "8:16 Read 100\n8:16 Write 200\n8:16 Sync 250\n8:16 Async 50\n8:16 Discard 7\n8:16 Total 307\n"
            "8:0 Wri\nTotal 307\n");
  EXPECT_EQ(one.damaged, 1U);
  EXPECT_EQ(one.first_damaged, "8:0 Wri");
  const auto operations = parse(Format::blkio_operations, "8:16 Read 1\n8:16 Write 2\n8:16 Discard 3\n");
  one.counters.insert(one.counters.end(), operations.counters.begin(), operations.counters.end());
  const auto two = parse(Format::io_stat,
                         "7:1 7:0 8:16 rbytes=100 wbytes=200 rios=1 wios=2 dbytes=7 dios=3 cost.usage=9\n"
                         "8:0 rbytes=-1 wbytes=2\n8 rbytes=1\n\n");
  EXPECT_EQ(two.damaged, 2U);
  EXPECT_EQ(one.counters.size(), two.counters.size());
  for (const Counter& counter : one.counters)
    EXPECT_THAT(value(two, counter.source, counter.name), is(counter.value)) << counter.name;
  EXPECT_THAT(value(two, "cgroup:8:16", "discard_operations"), is(3));
}

TEST(Pressure, TotalsInSeconds) {
  const auto parsed = parse(Format::pressure,
                            "some avg10=54.11 avg60=76.39 avg300=81.35 total=2500000\n"
                            "full avg10=0.00 avg60=0.00 avg300=0.00 total=\n",
                            "io");
  EXPECT_THAT(value(parsed, "psi:io", "some_seconds"), is(2.5));
  EXPECT_EQ(value(parsed, "psi:io", "full_seconds"), std::nullopt);
  EXPECT_EQ(parsed.damaged, 1U);
}

TEST(Processor, StealOfTheSumOverProcessors) {
  const auto parsed =
      parse(Format::processor, "cpu  100 50 30 1000 20 5 5 90 40 0\ncpu0 1 1 1 1 1 1 1 1 1 1\nintr 1 2 3\n");
  EXPECT_EQ(parsed.damaged, 0U);
  EXPECT_THAT(value(parsed, "cpu", "steal_seconds"), is(0.9));
  EXPECT_THAT(value(parsed, "cpu", "user_seconds"), is(1.5));
  EXPECT_THAT(value(parsed, "cpu", "system_seconds"), is(0.4));
  EXPECT_THAT(value(parsed, "cpu", "all_seconds"), is(13.0));
  EXPECT_EQ(parse(Format::processor, "cpu  100 50 x 1000\n").damaged, 1U);
  EXPECT_EQ(value(parse(Format::processor, "cpu  100 50 30 1000\n"), "cpu", "steal_seconds"), std::nullopt);
}

constexpr std::string_view kGlusterText =
    "Brick: n1:/b1\n"
    "-------------\n"
    "Cumulative Stats:\n"
    "   Block Size:               4096b+                8192b+ \n"
    " No. of Reads:                    1                     2 \n"
    "No. of Writes:                   10                    20 \n"
    " \n"
    "   Block Size:              16384b+ \n"
    " No. of Reads:                    4 \n"
    "No. of Writes:                   40 \n"
    " %-latency   Avg-latency   Min-Latency   Max-Latency   No. of calls         Fop\n"
    " ---------   -----------   -----------   -----------   ------------        ----\n"
    "      1.00    1000.50 ns     500.00 ns    2000.00 ns              4       WRITE\n"
    "      1.00     500.00 us     500.00 us     500.00 us              2       FSYNC\n"
    "      1.00     500.00 xs     500.00 us     500.00 us              2      LOOKUP\n"
    " \n"
    "    Duration: 25 seconds\n"
    "   Data Read: 1000 bytes\n"
    "Data Written: 5000 bytes\n"
    " \n"
    "Interval 3 Stats:\n"
    "No. of Writes:                   99 \n"
    "Data Written: 99 bytes\n";

TEST(Gluster, CumulativeFiguresOfABrick) {
  const auto parsed = parse(Format::gluster_text, kGlusterText);
  EXPECT_EQ(parsed.damaged, 1U);
  EXPECT_TRUE(parsed.first_damaged.ends_with("LOOKUP"));
  EXPECT_THAT(value(parsed, "gluster:n1:/b1", "read_bytes"), is(1000));
  EXPECT_THAT(value(parsed, "gluster:n1:/b1", "write_bytes"), is(5000));
  EXPECT_THAT(value(parsed, "gluster:n1:/b1", "read_operations"), is(7));
  EXPECT_THAT(value(parsed, "gluster:n1:/b1", "write_operations"), is(70));
  EXPECT_THAT(value(parsed, "gluster:n1:/b1", "write_seconds"), is(4002e-9));
  EXPECT_THAT(value(parsed, "gluster:n1:/b1", "fsync_operations"), is(2));
  EXPECT_THAT(value(parsed, "gluster:n1:/b1", "fsync_seconds"), is(1e-3));
}

TEST(Gluster, XmlSaysTheSameAndIsReadAsFarAsItGoes) {
  const std::string xml =
      "<?xml version=\"1.0\"?>\n<cliOutput><opRet>0</opRet><volProfile><brick><brickName>n1:/b1</brickName>"
      "<cumulativeStats><blockStats><block><size>4096</size><reads>3</reads><writes>30</writes></block>"
      "<block><size>8192</size><reads>4</reads><writes>4O</writes></block></blockStats>"
      "<fopStats><fop><name>WRITE</name><hits>4</hits><avgLatency>1000.5</avgLatency></fop>"
      "<fop><name>FSYNC</name><hits>2</hits><avgLatency>500000.0</avgLatency></fop></fopStats>"
      "<totalRead>1000</totalRead><totalWrite>5000</totalWrite></cumulativeStats>"
      "<intervalStats><totalWrite>99</totalWrite></intervalStats></brick>";
  const auto parsed = parse(Format::gluster_xml, xml + "<brick><brickName>n1:/b2</brickName><cumulativeSta");
  EXPECT_EQ(parsed.damaged, 2U);
  EXPECT_EQ(parsed.first_damaged, "4O");
  EXPECT_THAT(value(parsed, "gluster:n1:/b1", "read_operations"), is(7));
  EXPECT_THAT(value(parsed, "gluster:n1:/b1", "write_operations"), is(30));
  EXPECT_THAT(value(parsed, "gluster:n1:/b1", "write_bytes"), is(5000));
  EXPECT_THAT(value(parsed, "gluster:n1:/b1", "write_seconds"), is(4002e-9));
  EXPECT_THAT(value(parsed, "gluster:n1:/b1", "fsync_seconds"), is(1e-3));
  EXPECT_EQ(parse(Format::gluster_xml, "<cliOutput><opRet>-1</opRet></cliOutput>").damaged, 1U);
}

TEST(Parsers, EveryFormatHasItsNameAndTakesAnEmptyText) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kFormats; ++i) {
    const auto format = static_cast<Format>(i);
    names.insert(name(format));
    EXPECT_TRUE(parse(format, "", "x").counters.empty());
    EXPECT_EQ(parse(format, "", "x").damaged, 0U);
  }
  EXPECT_EQ(names.size(), kFormats);
}

// What each format says when every word of a good text is cut, one after the other: never a crash, and never
// a number that is not there.
TEST(Parsers, ATextCutAnywhereGivesNoNewNumbers) {
  for (const auto& [format, text] :
       {std::pair{Format::mountstats, kMountstats}, {Format::gluster_text, kGlusterText}}) {
    for (std::size_t cut = 0; cut < text.size(); ++cut) {
      const auto parsed = parse(format, text.substr(0, cut));
      for (const Counter& counter : parsed.counters) {
        EXPECT_TRUE(std::isfinite(counter.value));
        EXPECT_GE(counter.value, 0);
      }
    }
  }
}

}  // namespace
}  // namespace weir::monitor
