// What a message costs: a call over shared memory between two processes, a call between two servers over UCX
// on loopback and across two network namespaces (as root), each beside its raw reference in the same run;
// bulk; and what an idle server uses.
//
//   transport_bench [CALLS [PART]]     PART: only one of wire, shm, ucx, netns, idle; rtt: the raw reference
//                                      of netns alone
#include "transport_bench.hpp"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scratch_dir.hpp"
#include "transport/channel.hpp"
#include "transport/host.hpp"
#include "transport/loop.hpp"
#include "transport/ucx_fabric.hpp"
#include "transport/wire.hpp"

void stop(std::string_view why) {
  fmt::print(stderr, "transport_bench: {}\n", why);
  std::exit(3);
}

namespace {

using namespace std::chrono_literals;
using namespace weir::transport;
constexpr std::size_t kBulk = std::size_t{4} << 20U;

void print(const std::string& name, const Latencies& times, const Latencies* reference = nullptr) {
  fmt::print("{:<58} {:>8.2f} {:>8.2f}", name, times.median(), times.quantile(0.99));
  if (reference != nullptr) fmt::print(" {:>8.2f}", times.median() / reference->median());
  fmt::print("\n");
  std::fflush(stdout);
}

// ---- Packing ----

struct Extent {
  std::uint64_t begin = 0, length = 0;
  std::uint32_t log = 0, node = 0;
  static constexpr auto fields = std::tuple{&Extent::begin, &Extent::length, &Extent::log, &Extent::node};
};

// In memory that the process has used before: fresh pages cost several times as much as the copy, for memcpy
// too.
void wire() {
  ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
  std::vector<Extent> extents(1'000'000);
  for (std::size_t i = 0; i < extents.size(); ++i)
    extents[i] = {i * 8192, 4096, static_cast<std::uint32_t>(i), 0};
  Latencies packing, unpacking, copying;
  for (int turn = 0; turn < 15; ++turn) {
    Bytes packed;
    packing.time([&] { packed = pack(extents); });
    unpacking.time([&] {
      if (!unpack<std::vector<Extent>>(packed)) stop("does not unpack");
    });
    copying.time([&] { const Bytes copy(packed); });
  }
  const double gigabytes = static_cast<double>(extents.size() * sizeof(Extent)) / 1e3;  // over microseconds
  print("raw: 24 MB copied", copying);
  print(fmt::format("wire: pack 1 million extents ({:.1f} GB/s)", gigabytes / packing.median()), packing,
        &copying);
  print(fmt::format("wire: unpack them ({:.1f} GB/s)", gigabytes / unpacking.median()), unpacking, &copying);
  fmt::print("\n");
}

// ---- Shared memory ----

// Two processes that pass a word to and fro and do nothing else: what the machine allows.
Latencies time_raw_turns(int calls) {
  void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& word = *new (page) std::atomic<int>(0);
  const pid_t other = ::fork();
  if (other == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
      while (word.load(std::memory_order_acquire) != 1) {
      }
      word.store(0, std::memory_order_release);
    }
  }
  Latencies times;
  for (int i = 0; i < calls; ++i)
    times.time([&] {
      word.store(1, std::memory_order_release);
      while (word.load(std::memory_order_acquire) != 0) {
      }
    });
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  ::munmap(page, 4096);
  return times;
}

// There and back is four copies: into the slot, out of it, and the same for the answer.
Latencies time_copies() {
  Latencies times;
  const Bytes from(kBulk);
  Bytes to(kBulk);
  for (int i = 0; i < 60; ++i)
    times.time([&] {
      for (int copy = 0; copy < 4; ++copy) {
        std::memcpy(to.data(), from.data(), kBulk);
        asm volatile("" ::"r"(to.data()) : "memory");
      }
    });
  return times;
}

class Server {
 public:
  explicit Server(const std::function<void()>& body) {
    std::fflush(stdout);
    pid = ::fork();
    if (pid != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    body();
    ::_exit(0);
  }
  ~Server() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  pid_t pid;
};

HostOptions host_options(const weir::ScratchDir& scratch) {
  HostOptions options;
  options.socket = (scratch.path() / "run" / "server").string();
  return options;
}

// Answers each request with itself.
void serve_clients(Loop& loop, const HostOptions& options) {
  auto host = Host::listen(options);
  if (!host) stop(host.error().text());
  (*host)->serve(
      0, [](std::uint64_t, Bytes request, Respond respond) { std::move(respond)(std::move(request)); });
  loop.add((*host)->source(0));
  loop.run();
}

std::unique_ptr<Channel> connect(const HostOptions& options) {
  auto channel = Channel::connect({.socket = options.socket, .secret = {}, .version = 0, .resume = 0}, 10s);
  if (!channel) stop(channel.error().text());
  return std::move(*channel);
}

void shared_memory(int calls) {
  const Latencies raw = time_raw_turns(calls);
  const weir::ScratchDir scratch;
  const HostOptions options = host_options(scratch);
  const Server server([&] {
    Loop loop;
    serve_clients(loop, options);
  });
  const auto channel = connect(options);
  const auto time_calls = [&](std::size_t size, int count, std::chrono::microseconds apart) {
    Latencies times;
    const Bytes request(size);
    for (int i = 0; i < count; ++i) {
      if (apart > 0us) std::this_thread::sleep_for(apart);
      times.time([&] {
        if (!channel->call(0, request, 10s)) stop("a call failed");
      });
    }
    return times;
  };
  time_calls(0, 1000, 0us);
  print("raw: a word passed to and fro by two spinning processes", raw);
  print("shm: empty call, one after the other", time_calls(0, calls, 0us), &raw);
  print("shm: 1 KiB there and back", time_calls(1024, calls, 0us), &raw);
  print("shm: empty call every 100 us or so", time_calls(0, calls / 20, 20us), &raw);
  print("shm: empty call every 2 ms: the server sleeps", time_calls(0, std::min(calls / 10, 500), 2ms), &raw);
  const Latencies copies = time_copies();
  print("raw: 4 MiB copied four times", copies);
  print("shm: 4 MiB there and back", time_calls(kBulk, 60, 0us), &copies);
  fmt::print("\n");
}

// ---- An idle server ----

double processor_milliseconds(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    stop("no processor clock");
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

void idle() {
  const weir::ScratchDir scratch;
  const HostOptions options = host_options(scratch);
  const Server server([&] {
    Loop loop;
#ifdef WEIR_HAVE_UCX
    auto fabric = UcxFabric::make(loop, {});
    if (!fabric) stop(fabric.error().text());
    loop.add(**fabric);
#endif
    serve_clients(loop, options);
  });
  const auto channel = connect(options);
  if (!channel->call(0, {}, 10s)) stop("a call failed");
  const double before = processor_milliseconds(server.pid);
  std::this_thread::sleep_for(5s);
  const double used = processor_milliseconds(server.pid) - before;
  fmt::print("idle: a server with a client and a fabric used {:.2f} ms of processor time in 5 s: {:.3f} %\n",
             used, used / 50);
}

// ---- UCX ----

#ifdef WEIR_HAVE_UCX
Latencies round_trip(const std::string& where, const Network& network, int calls) {
  Latencies raw = time_raw_ucx(network, calls, 0);
  if (raw.all().empty())
    fmt::print("{}: skipped: needs root and the program ip (Debian: iproute2)\n\n", where);
  else
    print(fmt::format("raw: UCX active messages to and fro, {}", where), raw);
  return raw;
}

void ucx(const std::string& where, const Network& network, int calls) {
  const Latencies raw = round_trip(where, network, calls);
  if (raw.all().empty()) return;
  print(fmt::format("ucx: empty call, {}", where), time_fabric(network, calls, 0), &raw);
  const Latencies bulk = time_raw_ucx(network, 60, kBulk);
  print(fmt::format("raw: 4 MiB there, nothing back, {}", where), bulk);
  print(fmt::format("ucx: 4 MiB there, nothing back, {}", where), time_fabric(network, 60, kBulk), &bulk);
  fmt::print("\n");
}
#endif

}  // namespace

int main(int argc, char** argv) {
  const int calls = argc > 1 ? std::max(100, std::atoi(argv[1])) : 20'000;
  const std::string_view part = argc > 2 ? argv[2] : "";
  fmt::print("{:<58} {:>8} {:>8} {:>8}\n", "microseconds", "median", "99 %", "to raw");
  if (part.empty() || part == "wire") wire();
  if (part.empty() || part == "shm") shared_memory(calls);
#ifdef WEIR_HAVE_UCX
  if (part.empty() || part == "ucx") ucx("loopback", {}, calls);
  const Network apart{.namespaces = true, .server = "10.77.0.1:0", .client = "10.77.0.2:0"};
  if (part.empty() || part == "netns") ucx("two namespaces", apart, calls);
  if (part == "rtt") round_trip("two namespaces", apart, calls);
#endif
  if (part.empty() || part == "idle") idle();
  return 0;
}
