// Two servers in two network namespaces, as on two nodes: calls, a cut link, the link restored.
#include "transport/ucx_fabric.hpp"

#ifdef WEIR_HAVE_UCX

#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include "transport/again_test.hpp"
#include "transport/ucx_server_test.hpp"

namespace weir::transport {
namespace {

using namespace std::chrono_literals;

bool run(const std::string& command) { return std::system((command + " > /dev/null 2>&1").c_str()) == 0; }

// UCX looks for devices in /sys, which shows those of the namespace in which it was mounted.
bool go_apart() {
  return ::unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("weir", "/sys", "sysfs", 0, nullptr) == 0;
}

bool is_up(const std::string& device) {
  for (int tries = 0; tries < 300; ++tries) {
    if (run(fmt::format("grep -q up /sys/class/net/{}/operstate", device))) return true;
    ::usleep(10'000);  // the kernel notices a carrier in its own time
  }
  return false;
}

// Another process with a namespace of its own. Does what it is told, line by line.
TEST(UcxNamespaces, DISABLED_Node) {
  report(go_apart() ? "apart" : "cannot");
  const std::string device = hear_order(), address = hear_order();
  const bool up = run("ip link set lo up") && run(fmt::format("ip addr add {}/24 dev {}", address, device)) &&
                  run(fmt::format("ip link set {} up", device));
  report(up ? "up" : "cannot");
  hear_order();
  if (!is_up(device)) return;
  UcxOptions options;
  options.listen = address + ":0";
  UcxServer server(options);
  report(server.fabric->address());
  for (std::string order = hear_order(); !order.empty(); order = hear_order()) {
    if (order.starts_with("peer ")) {
      server.set_peers({server.fabric->address(), order.substr(5)}, 0);
      report("done");
    } else if (order == "call") {
      const auto answer = server.call(1, to_bytes(std::string(100'000, 'x')), 1s);
      report(answer ? "answered" : answer.error().text());
    } else {
      report(run(order) ? "done" : "failed");
    }
  }
}

TEST(UcxNamespaces, CallsCrossThemAlsoAfterTheLinkWasCut) {
  if (::geteuid() != 0 || !run("ip -V")) GTEST_SKIP() << "needs root and the program ip (Debian: iproute2)";
  Again one("UcxNamespaces.DISABLED_Node"), other("UcxNamespaces.DISABLED_Node");
  if (one.hear() != "apart" || other.hear() != "apart") GTEST_SKIP() << "no network namespaces here";
  ASSERT_TRUE(run(
      fmt::format("ip link add weir0 netns {} type veth peer name weir1 netns {}", one.pid(), other.pid())));
  one.say("weir0\n10.78.0.1");
  other.say("weir1\n10.78.0.2");
  ASSERT_EQ(one.hear(), "up");
  ASSERT_EQ(other.hear(), "up");
  one.say("go");
  other.say("go");
  const std::string here = one.hear(), there = other.hear();
  ASSERT_TRUE(here.starts_with("10.78.0.1:")) << here;
  one.say("peer " + there);
  EXPECT_EQ(one.hear(), "done");
  one.say("call");
  EXPECT_EQ(one.hear(), "answered");
  for (int round = 0; round < 2; ++round) {
    other.say("ip link set weir1 down");
    ASSERT_EQ(other.hear(), "done");
    one.say("call");
    const std::string cut = one.hear();
    EXPECT_TRUE(cut.starts_with("server 1")) << cut;
    other.say("ip link set weir1 up");
    ASSERT_EQ(other.hear(), "done");
    std::string answer;
    for (int tries = 0; tries < 20 && answer != "answered"; ++tries) {
      one.say("call");
      answer = one.hear();
    }
    EXPECT_EQ(answer, "answered");
  }
}

}  // namespace
}  // namespace weir::transport

#endif
