#include "proxy/dynamic_call.hpp"

#include <array>
#include <string_view>

#include <gtest/gtest.h>

namespace weir::proxy {
namespace {

std::int64_t result_of(DynamicCall& call, const char* name, const char* type) {
  std::int64_t result = 0;
  EXPECT_TRUE(call.make(name, type, result)) << name;
  return result;
}

TEST(DynamicCall, NumbersAreAsWideAsTheirTypes) {
  DynamicCall narrow;
  narrow.add("int", -5);
  EXPECT_EQ(result_of(narrow, "abs", "int"), 5);
  DynamicCall wide;
  wide.add("long", -(std::int64_t{1} << 40));
  EXPECT_EQ(result_of(wide, "labs", "long"), std::int64_t{1} << 40);
}

TEST(DynamicCall, ANarrowResultKeepsItsSign) {
  DynamicCall call;
  call.add_pointer("-3");
  EXPECT_EQ(result_of(call, "atoi", "int"), -3);
}

TEST(DynamicCall, RealsAreAsWideAsTheirTypes) {
  DynamicCall wide;
  wide.add_real("double", 1024);
  EXPECT_EQ(result_of(wide, "ilogb", "int"), 10);
  DynamicCall narrow;
  narrow.add_real("float", 8);
  EXPECT_EQ(result_of(narrow, "ilogbf", "int"), 3);
  DynamicCall nothing;  // an argument that was not recorded
  nothing.add("double", 1);
  EXPECT_EQ(result_of(nothing, "ilogb", "int"), 0);
}

// atoi() and atol() stand for functions of HDF5: codes and enumerations are 4 bytes wide, its handles 8.
TEST(DynamicCall, ResultsOfDataLibrariesAreAsWideAsTheirTypes) {
  for (const char* const type : {"herr_t", "htri_t", "H5T_class_t", "nc_type"}) {
    DynamicCall call;
    call.add_pointer("-3");
    EXPECT_EQ(result_of(call, "atoi", type), -3) << type;
  }
  DynamicCall handle;
  handle.add_pointer("72057594037927936");
  EXPECT_EQ(result_of(handle, "atol", "hid_t"), std::int64_t{1} << 56);
}

TEST(DynamicCall, VariableArgumentsArePassedAsCDoes) {
  std::array<char, 64> text{};
  DynamicCall call;
  call.add_pointer(text.data());
  call.add("size_t", static_cast<std::int64_t>(text.size()));
  call.add_pointer("%ld %.2f %s");
  call.begin_variable();
  call.add("long", 7);
  call.add_real("double", 1.25);
  call.add_pointer("words");
  EXPECT_EQ(result_of(call, "snprintf", "int"), 12);
  EXPECT_EQ(std::string_view(text.data()), "7 1.25 words");
}

// labs() and abs() stand for functions that take a handle of MPI, which is 8 or 4 bytes wide.
TEST(DynamicCall, HandlesOfMpiAreAsWideAsTheLibraryHasThem) {
  DynamicCall pointer;
  pointer.add("MPI_Comm", -(std::int64_t{1} << 40));
  EXPECT_EQ(result_of(pointer, "labs", "long"), std::int64_t{1} << 40);
  DynamicCall::set_mpi_handles(4);
  DynamicCall number;
  number.add("MPI_Comm", -9);
  EXPECT_EQ(result_of(number, "abs", "MPI_Comm"), 9);
  DynamicCall file;  // a pointer with every MPI
  file.add("MPI_File", -(std::int64_t{1} << 40));
  EXPECT_EQ(result_of(file, "labs", "MPI_File"), std::int64_t{1} << 40);
  DynamicCall::set_mpi_handles(8);
}

TEST(DynamicCall, SaysThatAFunctionIsNotThere) {
  DynamicCall call;
  std::int64_t result = 0;
  EXPECT_FALSE(call.make("no_such_function_anywhere", "int", result));
}

}  // namespace
}  // namespace weir::proxy
