#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transport_bench.hpp"

namespace {

struct Child {
  pid_t pid;
  int to;
  int from;

  std::string hear() const {
    std::string line;
    char c = 0;
    while (::read(from, &c, 1) == 1 && c != '\n') line += c;
    return line;
  }
  void say(const std::string& line) const {
    if (::write(to, (line + "\n").c_str(), line.size() + 1) < 0) stop("a child is gone");
  }
};

// UCX looks for devices in /sys, which shows those of the namespace in which it was mounted.
bool go_apart() {
  return ::unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("weir", "/sys", "sysfs", 0, nullptr) == 0;
}

bool run(const std::string& command) { return std::system((command + " 2> /dev/null").c_str()) == 0; }

Child start(const std::function<void(const Child& parent)>& body) {
  int down[2], up[2];
  if (::pipe(down) != 0 || ::pipe(up) != 0) stop("no pipes");
  std::fflush(stdout);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    body({0, up[1], down[0]});
    ::_exit(0);
  }
  return {pid, down[1], up[0]};
}

// In the child: a network namespace of its own with one end of the pair, "ready" when it is there.
void enter(const Child& parent, const Network& network, const char* device, const std::string& address) {
  if (!network.namespaces) return;
  parent.say(go_apart() ? "apart" : "cannot");
  if (parent.hear() != "linked") ::_exit(0);
  const std::string host = address.substr(0, address.find(':'));
  const bool up = run("ip link set lo up") && run(fmt::format("ip addr add {}/24 dev {}", host, device)) &&
                  run(fmt::format("ip link set {} up", device));
  parent.say(up ? "ready" : "cannot");
  if (parent.hear() != "go") ::_exit(0);
  const std::string is_up = fmt::format("grep -q up /sys/class/net/{}/operstate", device);
  for (int tries = 0; tries < 300 && !run(is_up); ++tries) ::usleep(10'000);
}

bool link_namespaces(const Child& one, const Child& other) {
  const bool apart = one.hear() == "apart" && other.hear() == "apart";
  const bool linked =
      apart &&
      run(fmt::format("ip link add weir0 netns {} type veth peer name weir1 netns {}", one.pid, other.pid));
  one.say(linked ? "linked" : "no");
  other.say(linked ? "linked" : "no");
  if (!linked || one.hear() != "ready" || other.hear() != "ready") return false;
  one.say("go");  // a device has a carrier, which UCX asks for, some time after both ends are up
  other.say("go");
  return true;
}

}  // namespace

Latencies measure_pair(const Network& network,
                       const std::function<void(const std::function<void(const std::string&)>& ready)>& serve,
                       const std::function<Latencies(const std::string& address)>& measure) {
  const Child server = start([&](const Child& parent) {
    enter(parent, network, "weir0", network.server);
    serve([&](const std::string& address) { parent.say(address); });
  });
  const Child client = start([&](const Child& parent) {
    enter(parent, network, "weir1", network.client);
    const Latencies times = measure(parent.hear());
    for (const double time : times.all()) parent.say(fmt::format("{}", time));
    parent.say("");
  });
  Latencies times;
  if (!network.namespaces || link_namespaces(server, client)) {
    const std::string address = server.hear();
    if (address.empty()) stop("the serving process has ended");
    client.say(address);
    std::vector<double> all;
    for (std::string line = client.hear(); !line.empty(); line = client.hear())
      all.push_back(std::stod(line));
    times = Latencies(std::move(all));
  }
  for (const Child& child : {server, client}) {
    ::kill(child.pid, SIGKILL);
    ::waitpid(child.pid, nullptr, 0);
    ::close(child.to);
    ::close(child.from);
  }
  return times;
}
