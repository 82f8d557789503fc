#include "launch/mpi_choice.hpp"

#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "launch/process.hpp"

namespace weir::launch {
namespace {

TEST(MpiChoice, ProgramsWithoutMpiHaveNone) {
  EXPECT_EQ(mpi_of({"true"}).value(), Mpi::none);
  EXPECT_EQ(mpi_of({"no-such-program", "-n", "4"}).value(), Mpi::none);
  EXPECT_EQ(mpi_of({}).value(), Mpi::none);
}

TEST(MpiChoice, ALauncherTellsWhoseItIs) {
  for (const Mpi mpi : {Mpi::openmpi, Mpi::mpich}) {
    const std::string launcher = "mpirun." + std::string(name(mpi));
    if (!find_program(launcher)) {
      std::cout << "skipped: " << launcher << " is not installed\n";
      continue;
    }
    // An interpreter, a shell say, loads what it loads: the launcher's word counts.
    EXPECT_EQ(mpi_of({launcher, "-n", "4", "sh", "-c", "true"}).value(), mpi) << launcher;
    EXPECT_EQ(mpi_of({launcher, "-n", "4"}).value(), mpi) << launcher;
  }
}

TEST(MpiChoice, NamesAreThoseOfTheLibraries) {
  EXPECT_EQ(name(Mpi::openmpi), "openmpi");
  EXPECT_EQ(name(Mpi::mpich), "mpich");
}

}  // namespace
}  // namespace weir::launch
