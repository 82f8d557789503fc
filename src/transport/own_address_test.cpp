#include "transport/own_address.hpp"

#include <string>

#include <gtest/gtest.h>

#include "transport/detail/inet_address.hpp"

namespace weir::transport {
namespace {

using detail::InetAddress;

TEST(OwnAddress, ANumberIsTakenAsItIs) {
  EXPECT_EQ(own_address("10.9.8.7", "").value(), "10.9.8.7");
  EXPECT_EQ(own_address("fe80::1", "").value(), "[fe80::1]");
  EXPECT_EQ(own_address("[::1]", "").value(), "[::1]");
}

TEST(OwnAddress, AnAddressIsInNoOtherNetwork) { EXPECT_FALSE(own_address("10.9.8.7", "lo")); }

TEST(OwnAddress, LocalhostIsLoopback) {
  const auto address = own_address("localhost", "");
  ASSERT_TRUE(address);
  EXPECT_TRUE(*address == "127.0.0.1" || *address == "[::1]") << *address;
}

TEST(OwnAddress, ANetworkIsADeviceOrARange) {
  EXPECT_EQ(own_address("any", "lo").value(), "127.0.0.1");
  EXPECT_EQ(own_address("any", "127.0.0.0/8").value(), "127.0.0.1");
  EXPECT_EQ(own_address("any", "127.0.0.1/32").value(), "127.0.0.1");
}

TEST(OwnAddress, WhatThisMachineHasNotIsAnErrorThatNamesWhatItHas) {
  for (const std::string network : {"ib99", "203.0.113.0/24", "2001:db8::/32"}) {
    const auto none = own_address("any", network);
    ASSERT_FALSE(none) << network;
    EXPECT_NE(none.error().text().find(network), std::string::npos);
    EXPECT_NE(none.error().text().find("127.0.0.1 (lo)"), std::string::npos) << none.error().text();
  }
  const auto nowhere = own_address("no-such-host.invalid", "");
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().text().find("no-such-host.invalid"), std::string::npos);
}

TEST(OwnAddress, RangesThatAreNone) {
  for (const std::string network : {"10.0.0.0/", "10.0.0.0/33", "10.0.0.0/8x", "/8", "n01/8", "::/129"}) {
    const auto none = own_address("any", network);
    ASSERT_FALSE(none) << network;
    EXPECT_NE(none.error().text().find("no range"), std::string::npos) << none.error().text();
  }
}

TEST(OwnAddress, LoopbackIsEveryMachines) {
  EXPECT_FALSE(is_only_here("127.0.0.1:80"));
  EXPECT_FALSE(is_only_here("[::1]:80"));
  EXPECT_FALSE(is_only_here("0.0.0.0:80"));
  EXPECT_FALSE(is_only_here("203.0.113.1:80"));  // nobody's: RFC 5737
  EXPECT_FALSE(is_only_here("n01:80"));
  EXPECT_FALSE(is_only_here(""));
  EXPECT_FALSE(is_only_here("::1"));
}

TEST(InetAddress, GoesThroughText) {
  for (const std::string text : {"10.0.0.1:4711", "[fe80::1]:4711", "0.0.0.0:0", "[::]:65535"})
    EXPECT_EQ(InetAddress::parse(text).value().text(), text);
  for (const std::string text : {"", ":", "10.0.0.1", "10.0.0.1:", "10.0.0.1:65536", "::1:80",
                                 "[10.0.0.1]:80", "[::1:80", "::1]:80", "localhost:80", "10.0.0.1:-1"})
    EXPECT_FALSE(InetAddress::parse(text)) << text;
}

}  // namespace
}  // namespace weir::transport
