#include "capture/caller.hpp"

#include <gtest/gtest.h>

namespace weir::capture {
namespace {

TEST(Caller, KnowsTheLibrariesOfMpiByTheirNames) {
  for (const char* const one :
       {"/usr/lib/x86_64-linux-gnu/libmpi.so.40", "libmpich.so.12", "/usr/lib/libucs.so.0",
        "/usr/lib/openmpi/lib/openmpi3/mca_btl_self.so", "libopen-pal.so.40"})
    EXPECT_TRUE(belongs_to_mpi(one)) << one;
  for (const char* const one :
       {"/usr/lib/libhdf5.so.103", "libc.so.6", "/home/mpi/app", "/opt/libucs/libmine.so", ""})
    EXPECT_FALSE(belongs_to_mpi(one)) << one;
}

TEST(Caller, IsNoLibraryOfMpiHere) { EXPECT_FALSE(called_by_mpi()); }

}  // namespace
}  // namespace weir::capture
