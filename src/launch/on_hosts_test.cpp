#include "launch/on_hosts.hpp"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/scratch_dir.hpp"

namespace weir::launch {
namespace {

using Words = std::vector<std::string>;

// Only the launchers that a test puts there are found.
class OnHostsTest : public ::testing::Test {
 protected:
  OnHostsTest() {
    ::setenv("PATH", folder_.path().c_str(), 1);
    ::unsetenv("SLURM_JOB_ID");
  }
  ~OnHostsTest() override { ::setenv("PATH", path_.c_str(), 1); }

  void put(const std::string& name) {
    const auto file = folder_.path() / name;
    ASSERT_TRUE(replace_file(file, as_bytes(std::string_view("#!/bin/sh\n")), 0700));
  }

  const std::string path_ = std::getenv("PATH");
  ScratchDir folder_;
};

TEST_F(OnHostsTest, SlurmStartsItsOwnSteps) {
  put("srun");
  put("mpirun");
  ::setenv("SLURM_JOB_ID", "7", 1);
  const auto command = command_on_hosts({"n01", "n02"}, {"serve", "--fast"});
  ::unsetenv("SLURM_JOB_ID");
  ASSERT_TRUE(command);
  EXPECT_EQ(command->front(), "srun");
  EXPECT_EQ(Words(command->end() - 4, command->end()), (Words{"-w", "n01,n02", "serve", "--fast"}));
}

TEST_F(OnHostsTest, OutsideOfSlurmItIsMpirun) {
  put("srun");
  put("mpirun");
  const auto command = command_on_hosts({"n01", "n02"}, {"serve"});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->front(), "mpirun");
  EXPECT_EQ(Words(command->end() - 3, command->end()), (Words{"--host", "n01,n02", "serve"}));
}

TEST_F(OnHostsTest, MpichHasOptionsOfItsOwn) {
  put("mpirun.mpich");
  std::filesystem::create_symlink("mpirun.mpich", folder_.path() / "mpirun");
  const auto command = command_on_hosts({"n01"}, {"serve"});
  ASSERT_TRUE(command);
  EXPECT_EQ(Words(command->end() - 3, command->end()), (Words{"-hosts", "n01", "serve"}));
}

TEST_F(OnHostsTest, WithoutALauncherTheErrorNamesOne) {
  const auto command = command_on_hosts({"n01"}, {"serve"});
  ASSERT_FALSE(command);
  EXPECT_EQ(command.error().code(), Errc::lacking);
  EXPECT_NE(command.error().text().find("openmpi-bin"), std::string::npos);
}

}  // namespace
}  // namespace weir::launch
