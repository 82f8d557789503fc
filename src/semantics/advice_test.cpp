#include "semantics/advice.hpp"

#include <gtest/gtest.h>

namespace weir::semantics {
namespace {

bool is_metadata(const char* name, bool through_mpi, std::int64_t bytes) {
  File file;
  file.name = name;
  file.through_mpi = through_mpi;
  Access write;
  write.end = bytes;
  return is_library_metadata(file, write);
}

// What is advised is in tests/cli/check.test, and tests/mpi/verdicts.py follows it.
TEST(Advice, SmallWritesOfALibrarysFileAreItsBookkeeping) {
  EXPECT_TRUE(is_metadata("/scratch/run.h5", true, 544));
  EXPECT_TRUE(is_metadata("/scratch/run.nc", true, 4096));
  EXPECT_FALSE(is_metadata("/scratch/run.h5", true, 4097));
  EXPECT_FALSE(is_metadata("/scratch/run.h5", false, 544));
  EXPECT_FALSE(is_metadata("/scratch/run.dat", true, 544));
}

}  // namespace
}  // namespace weir::semantics
