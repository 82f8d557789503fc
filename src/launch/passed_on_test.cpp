#include "launch/passed_on.hpp"

#include <iostream>

#include <gtest/gtest.h>

#include "launch/process.hpp"

namespace weir::launch {
namespace {

using Words = std::vector<std::string>;
const Variables kTwo = {{"LD_PRELOAD", "libweir.so"}, {"WEIR_JOB", "job.json"}};

TEST(PassedOn, OtherProgramsAreLeftAlone) {
  for (const Words& command :
       {Words{}, Words{"true"}, Words{"srun", "-n", "2", "app"}, Words{"no-such-mpirun", "app"}})
    EXPECT_EQ(passed_on(command, kTwo), command);
}

TEST(PassedOn, OpenMpiIsTold) {
  if (!find_program("mpirun.openmpi")) {
    std::cout << "skipped: mpirun.openmpi is not installed\n";
    return;
  }
  EXPECT_EQ(passed_on({"mpirun.openmpi", "-n", "2", "app"}, kTwo),
            (Words{"mpirun.openmpi", "-x", "LD_PRELOAD", "-x", "WEIR_JOB", "-n", "2", "app"}));
  EXPECT_EQ(passed_on({"mpirun.openmpi", "-x", "WEIR_JOB=mine", "app"}, kTwo),
            (Words{"mpirun.openmpi", "-x", "LD_PRELOAD", "-x", "WEIR_JOB=mine", "app"}));
  EXPECT_EQ(passed_on({"mpirun.openmpi", "a", ":", "b"}, {{"V", "1"}}),
            (Words{"mpirun.openmpi", "-x", "V", "a", ":", "-x", "V", "b"}));
  const Words with_list = {"mpirun.openmpi", "--mca", "mca_base_env_list", "V", "app"};
  EXPECT_EQ(passed_on(with_list, kTwo), with_list);
  EXPECT_EQ(passed_on({"mpirun.openmpi", "app"}, {}), (Words{"mpirun.openmpi", "app"}));
}

TEST(PassedOn, MpichPassesAllOnByItself) {
  if (!find_program("mpirun.mpich")) {
    std::cout << "skipped: mpirun.mpich is not installed\n";
    return;
  }
  const Words command = {"mpirun.mpich", "-n", "2", "app"};
  EXPECT_EQ(passed_on(command, kTwo), command);
}

}  // namespace
}  // namespace weir::launch
