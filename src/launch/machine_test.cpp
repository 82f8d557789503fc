#include "launch/machine.hpp"

#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"
#include "launch/libraries.hpp"

namespace weir::launch {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

const Fact& find(const std::vector<Fact>& facts, std::string_view name) {
  for (const Fact& fact : facts)
    if (fact.name == name) return fact;
  static const Fact kNone{
      .topic = "none", .name = {}, .state = State::absent, .detail = {}, .path = {}, .remedy = {}};
  return kNone;
}

TEST(Libraries, AreFoundWhereTheLoaderLooks) {
  const ScratchDir root;
  put(root.path() / "etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n/opt/site/lib # ours\n");
  put(root.path() / "etc/ld.so.conf.d/mpi.conf", "/opt/mpi/lib\n");
  put(root.path() / "opt/mpi/lib/libmpi.so.40", "");
  put(root.path() / "opt/mpi/lib/libmpi.so.40.30.4", "");
  put(root.path() / "opt/mpi/lib/libmpi_mpifh.so.40", "");
  put(root.path() / "opt/site/lib/libmpi.so.40", "the loader takes the first");
  const auto found = find_libraries(root.path(), "libmpi");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front(), root.path() / "opt/mpi/lib/libmpi.so.40");
}

TEST(Libraries, AnIncludeLoopEnds) {
  const ScratchDir root;
  put(root.path() / "etc/ld.so.conf", "include ld.so.conf\n/opt/lib\n");
  EXPECT_FALSE(library_folders(root.path()).empty());
}

TEST(Libraries, VersionsAreReadOutOfABinary) {
  const ScratchDir root;
  put(root.path() / "lib", std::string_view("\x7f"
                                            "ELF\0\0HDF5 Version: 1.10.8\nmore",
                                            32));
  EXPECT_EQ(text_in_binary(root.path() / "lib", "HDF5 Version:"), "1.10.8");
  EXPECT_EQ(text_in_binary(root.path() / "lib", "no such mark"), std::nullopt);
}

TEST(Machine, AnEmptyRootLacksEverythingAndSaysWhatToDo) {
  const ScratchDir root;
  for (const Fact& fact : examine_machine(root.path()).facts) {
    if (fact.topic == "launcher" || fact.topic == "rights" || fact.name == "Gluster")
      continue;  // of this machine
    EXPECT_NE(fact.state, State::ok) << fact.name;
    EXPECT_TRUE(fact.state != State::missing || !fact.remedy.empty()) << fact.name;
  }
}

TEST(Machine, CountersAreSeen) {
  const ScratchDir root;
  put(root.path() / "proc/diskstats",
      " 8 0 sda 100 0 0 0 0 0 0 0 0 0 0\n 8 1 sda1 90 0 0 0 0 0 0 0 0 0 0\n 7 0 loop0 0 0 0 0 0 0 0 0 0 0 "
      "0\n");
  fs::create_directories(root.path() / "sys/block/sda");
  put(root.path() / "proc/self/mountstats",
      "device rootfs mounted on / with fstype rootfs\ndevice srv:/home mounted on /home with fstype nfs4 "
      "statvers=1.1\n");
  fs::create_directories(root.path() / "sys/class/infiniband/mlx5_0");
  put(root.path() / "sys/fs/cgroup/cgroup.controllers", "cpu io memory\n");
  put(root.path() / "proc/pressure/io", "some avg10=0.00\n");
  fs::create_directories(root.path() / "sys/kernel/debug/lustre");
  const auto facts = examine_counters(root.path());
  EXPECT_EQ(find(facts, "disks").detail, "sda");
  EXPECT_EQ(find(facts, "NFS").detail, "1 mount");
  EXPECT_EQ(find(facts, "InfiniBand").detail, "mlx5_0");
  for (const char* name : {"disks", "NFS", "InfiniBand", "cgroup", "pressure", "Lustre"})
    EXPECT_EQ(find(facts, name).state, State::ok) << name;
  EXPECT_EQ(find(facts, "GPFS").state, State::absent);
}

TEST(Machine, BuffersAreLocalAndWritable) {
  const ScratchDir root;
  fs::create_directories(root.path() / "local nvme");
  fs::create_directories(root.path() / "home");
  put(root.path() / "proc/self/mountinfo",
      "27 1 259:1 / /local\\040nvme rw,relatime - ext4 /dev/nvme0n1p1 rw\n"
      "28 1 0:50 / /home rw,relatime - nfs4 srv:/home rw\n"
      "29 1 0:51 / /proc rw - proc proc rw\n"
      "truncated line\n");
  const auto facts = examine_buffers(root.path());
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(facts[0].name, "/local nvme");
  EXPECT_TRUE(facts[0].detail.starts_with("nvme, ext4, ")) << facts[0].detail;
}

TEST(Machine, HostFactsComeFromTheSystem) {
  const ScratchDir root;
  put(root.path() / "etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  put(root.path() / "proc/meminfo", "MemTotal:       1024 kB\nMemFree: 1 kB\nMemAvailable:    512 kB\n");
  put(root.path() / "proc/cpuinfo", "processor : 0\nmodel name\t: Example 9000\n");
  const Host host = examine_host(root.path());
  EXPECT_EQ(host.system, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(host.memory, Bytes(1 << 20));
  EXPECT_EQ(available_memory(root.path()), Bytes(1 << 19));
  EXPECT_EQ(host.processor, "Example 9000");
  EXPECT_GE(host.cores, 1u);
}

TEST(Machine, TopicsAreTheDocumentedOnes) {
  const std::set<std::string> topics = {"mpi",  "launcher", "ucx",    "hdf5",
                                        "fuse", "counters", "buffer", "rights"};
  for (const Fact& fact : examine_machine().facts) EXPECT_TRUE(topics.contains(fact.topic)) << fact.topic;
}

}  // namespace
}  // namespace weir::launch
