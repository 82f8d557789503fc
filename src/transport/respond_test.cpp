#include "transport/respond.hpp"

#include <gtest/gtest.h>

namespace weir::transport {
namespace {

TEST(Respond, BlamesUnlessItHasForgiven) {
  for (const bool forgives : {false, true}) {
    bool blamed = !forgives;
    Respond first([&](Bytes* /*answer*/, bool blames) { blamed = blames; });
    if (forgives) first.forgive();
    Respond second = std::move(first);
    Respond third;
    third = std::move(second);
    std::move(third).blame({});
    EXPECT_EQ(blamed, !forgives);
  }
}

}  // namespace
}  // namespace weir::transport
