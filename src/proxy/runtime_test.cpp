#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "proxy/follow.hpp"
#include "proxy/runtime/fit.hpp"
#include "proxy/runtime/names.hpp"

namespace weir::proxy {
namespace {

TEST(Fit, PrintsAsManyBytesAsRecorded) {
  for (int wanted = 9; wanted < 60; ++wanted) {
    weir_proxy::Fit fit("step %s %d\n", wanted);
    EXPECT_EQ(std::snprintf(nullptr, 0, "step %s %d\n", fit.text(0), static_cast<int>(fit.integer(1))),
              wanted);
  }
  for (int wanted = 13; wanted < 80; ++wanted) {
    weir_proxy::Fit fit("sum %.6f\n", wanted);
    EXPECT_EQ(std::snprintf(nullptr, 0, "sum %.6f\n", fit.real(0)), wanted);
  }
  for (int wanted = 2; wanted < 11; ++wanted) {
    weir_proxy::Fit fit("%g\n", wanted);
    EXPECT_EQ(std::snprintf(nullptr, 0, "%g\n", fit.real(0)), wanted);
  }
}

TEST(Fit, GoesAsFarAsTheConversionsCan) {
  weir_proxy::Fit fit("%c%%\n", 100);
  EXPECT_EQ(fit.integer(0), 'x');
}

TEST(Names, NumbersComeBackFromAName) {
  const std::string name_template = std::string("ckpt_\1") + "4_\2.\1" + "0";
  std::array<std::int64_t, trace::NameTemplate::kNumbers> numbers{};
  ASSERT_TRUE(numbers_of(name_template, "ckpt_0017_4711.23", 4711, numbers));
  EXPECT_EQ(numbers[0], 17);
  EXPECT_EQ(numbers[1], 23);
  EXPECT_FALSE(numbers_of(name_template, "ckpt_0017_4712.23", 4711, numbers));
  EXPECT_FALSE(numbers_of(name_template, "ckpt_0017_4711.", 4711, numbers));
  EXPECT_FALSE(numbers_of(name_template, "ckpt_0017_4711.23x", 4711, numbers));
}

TEST(Names, ExpandIsTheReverse) {
  const std::string name_template = std::string("out/part_\1") + "0_\1" + "4.dat";
  const std::array<weir_proxy::i64, 2> given = {3, 42};
  std::string made;
  weir_proxy::expand(name_template.data(), name_template.size(), given.data(), made);
  EXPECT_EQ(made, "out/part_3_0042.dat");
}

TEST(Names, NothingLeavesTheRoot) {
  weir_proxy::world.options.root = "/scratch/proxy";
  weir_proxy::world.depth = 2;
  const auto rooted = [](std::string path) {
    weir_proxy::put_under_root(path);
    return path;
  };
  EXPECT_EQ(rooted("/data/in"), "/scratch/proxy/data/in");
  EXPECT_EQ(rooted("in"), "in");
  EXPECT_EQ(rooted("../../in"), "../../in");
  EXPECT_EQ(rooted("../../../in"), "/scratch/proxy/in");
  EXPECT_EQ(rooted("a/../../../../in"), "/scratch/proxy/in");
  EXPECT_EQ(rooted("/dev/null"), "/dev/null");
  EXPECT_EQ(rooted("/dev/shm/x"), "/scratch/proxy/dev/shm/x");
}

TEST(Names, KernelsFilesTellOfTheMachine) {
  EXPECT_TRUE(weir_proxy::tells_of_machine("/proc/self/maps"));
  EXPECT_FALSE(weir_proxy::tells_of_machine("/processed/data"));
}

}  // namespace
}  // namespace weir::proxy
