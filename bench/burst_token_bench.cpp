// The model posix-lock in a running file system: servers of 2 nodes and their clients in this process, UCX
// between the servers, a buffer in /dev/shm.
//
//   burst_token_bench [REPEATS]
//
// First T_s, T_l and T_c of eq. 5.1 as a client waits for them: a write of 4 KiB that needs a new token, one
// under a held token and one that another node must give up, each less what a write takes that nobody orders
// (the model none). A node's first token of a file costs more than a further one, and one of a file whose
// owner is elsewhere more than one of a file that the node owns: they are counted apart. Then the three
// workloads of Table 5.8, for exact and extended tokens: the overhead that eq. 5.1 predicts from the counted
// requests, and the one that was measured. Last posix-lock against session on an unshared file, close
// included.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/check.hpp"
#include "burst/client/file_system.hpp"
#include "burst/server.hpp"
#include "burst/server_fabric.hpp"

namespace {

using namespace weir::burst;
using Seconds = std::chrono::duration<double>;

constexpr std::uint64_t kBlock = lock::kBlockSize;

class Cluster {
 public:
  Cluster(std::uint32_t nodes, lock::Options options) {
    std::filesystem::create_directories(root_ / "backing");
    job_.id = fmt::format("bench{}", ::getpid());
    job_.secret = weir::transport::Secret::make();
    job_.mount = job_.backing = root_ / "backing";
    job_.locks = options;
    for (std::uint32_t i = 0; i < nodes; ++i) {
      JobServer row;
      row.host = fmt::format("node{}", i);
      row.directory = root_ / row.host;
      job_.servers.push_back(row);
    }
    std::vector<std::vector<std::string>> addresses;
    for (std::uint32_t i = 0; i < nodes; ++i) {
      auto server = Server::make(
          job_, i, [&](weir::transport::Loop& loop) { return make_server_fabric(job_, i, 0, loop); });
      WEIR_CHECK(bool(server), "server {} does not start", i);
      addresses.push_back((*server)->addresses());
      servers_.push_back(std::move(*server));
    }
    for (auto& server : servers_) server->start(addresses);
  }
  ~Cluster() {
    servers_.clear();
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  std::unique_ptr<FileSystem> client(std::uint32_t node) {
    auto system = FileSystem::connect(job_, node);
    WEIR_CHECK(bool(system), "no client of node {}", node);
    return std::move(*system);
  }

 private:
  std::filesystem::path root_ = fmt::format("/dev/shm/weir-token-bench-{}", ::getpid());
  Job job_;
  std::vector<std::unique_ptr<Server>> servers_;
};

std::shared_ptr<File> open_file(FileSystem& system, const std::string& name, const char* model) {
  auto opened = system.open(name, O_RDWR | O_CREAT, 0600, *find_policy(model));
  WEIR_CHECK(opened.error == 0, "cannot open {}", name);
  return opened.body;
}

const std::vector<std::byte> kBytes(kBlock);

double write_seconds(File& file, std::uint64_t block) {
  const auto begin = std::chrono::steady_clock::now();
  WEIR_CHECK(file.pwrite(kBytes, block * kBlock).error == 0, "a write failed");
  return Seconds(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> all) {
  std::ranges::sort(all);
  return all[all.size() / 2];
}

struct Costs {
  double plain = 0;          // seconds a write; what follows is more than that
  double first = 0;          // a node's first token of a file
  double near = 0, far = 0;  // a further one, with the file's owner on the node and elsewhere
  double local = 0, conflict = 0;
};

std::uint32_t owner_of(const std::string& name, std::uint32_t nodes) {
  return Layout{.servers = nodes}.home_of(name).server;
}

void measure_new_tokens(int repeats, Costs& costs) {
  Cluster cluster(2, {lock::GrantRange::exact, lock::Settle::split});
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto unordered = open_file(*one, "plain", "none");
  const std::array known = {open_file(*one, "known", "posix-lock"), open_file(*two, "known", "posix-lock")};
  std::vector<double> plain;
  std::array<std::vector<double>, 2> fresh;
  std::uint64_t block = 0;
  for (const auto& file : known) write_seconds(*file, block++);
  for (int i = 0; i < repeats; ++i) {
    plain.push_back(write_seconds(*unordered, static_cast<std::uint64_t>(i)));
    for (std::size_t node = 0; node < known.size(); ++node)
      fresh.at(node).push_back(write_seconds(*known.at(node), block++));
  }
  const std::uint32_t owner = owner_of("known", 2);
  costs.near = median(fresh.at(owner)) - median(plain);
  costs.far = median(fresh.at(1 - owner)) - median(plain);
}

// All but `near` and `far`; interleaved, so that all meet the same machine.
Costs measure_costs(int repeats) {
  Cluster cluster(2, {lock::GrantRange::extend, lock::Settle::split});
  const auto one = cluster.client(0);
  const auto two = cluster.client(1);
  const auto unordered = open_file(*one, "plain", "none");
  const auto held = open_file(*one, "held", "posix-lock");
  const auto mine = open_file(*one, "both", "posix-lock");
  const auto theirs = open_file(*two, "both", "posix-lock");
  write_seconds(*held, 0);
  std::vector<double> plain;
  std::vector<double> first;
  std::vector<double> local;
  std::vector<double> conflict;
  for (int i = 0; i < repeats; ++i) {
    const auto block = static_cast<std::uint64_t>(i);
    const auto created = open_file(*one, fmt::format("new{}", i), "posix-lock");
    plain.push_back(write_seconds(*unordered, block));
    first.push_back(write_seconds(*created, 0));
    local.push_back(write_seconds(*held, block));
    write_seconds(*mine, 0);
    conflict.push_back(write_seconds(*theirs, 0));
  }
  const double base = median(plain);
  return {.plain = base,
          .first = median(first) - base,
          .local = median(local) - base,
          .conflict = median(conflict) - base};
}

lock::Counters counted(FileSystem& system, std::uint32_t nodes) {
  lock::Counters sum;
  for (std::uint32_t node = 0; node < nodes; ++node)
    for (const Counter& row : system.session().ask({node, 0}, GetStats{}).body.rows) {
      if (row.name == "locks.new") sum.fresh += row.value;
      if (row.name == "locks.local") sum.local += row.value;
      if (row.name == "locks.conflict") sum.conflict += row.value;
    }
  return sum;
}

// One write after the other: what eq. 5.1 adds up is then what is waited for.
void run_workload(const char* name, const char* grant_name, lock::GrantRange grant, const Costs& costs,
                  std::uint64_t writes) {
  constexpr std::uint32_t kNodes = 2;
  constexpr std::uint32_t kProcesses = 2;
  constexpr std::uint32_t kRanks = kNodes * kProcesses;
  const std::string workload = name;
  Cluster cluster(kNodes, {grant, lock::Settle::split});
  std::vector<std::unique_ptr<FileSystem>> systems;
  std::vector<std::shared_ptr<File>> files;
  double near_ranks = 0;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    systems.push_back(cluster.client(rank / kProcesses));
    const std::string file = workload == "private" ? fmt::format("f{}", rank) : "f";
    files.push_back(open_file(*systems.back(), file, "posix-lock"));
    if (owner_of(file, kNodes) == rank / kProcesses) ++near_ranks;
  }
  // What a process does once (its seat, its first segment) is no part of eq. 5.1.
  for (std::uint32_t rank = 0; rank < kRanks; ++rank)
    write_seconds(*open_file(*systems[rank], fmt::format("warm{}", rank), "posix-lock"), 0);
  const lock::Counters before = counted(*systems.front(), kNodes);
  double total = 0;
  for (std::uint64_t i = 0; i < writes; ++i)
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      std::uint64_t block = i;
      if (workload == "contiguous") block = rank * writes + i;
      if (workload == "strided") block = i * kRanks + rank;
      total += write_seconds(*files[rank], block);
    }
  lock::Counters count = counted(*systems.front(), kNodes);
  count = {count.fresh - before.fresh, count.local - before.local, count.conflict - before.conflict};
  const std::uint64_t begun = workload == "private" ? kRanks : kNodes;  // files, each by a node
  const std::uint64_t first = std::min(begun, count.fresh);
  const double further = (near_ranks * costs.near + (kRanks - near_ranks) * costs.far) / kRanks;
  const double predicted =
      static_cast<double>(first) * costs.first + static_cast<double>(count.fresh - first) * further +
      static_cast<double>(count.local) * costs.local + static_cast<double>(count.conflict) * costs.conflict;
  const double measured = total - static_cast<double>(kRanks * writes) * costs.plain;
  fmt::print("{:<12} {:<8} {:>7} {:>7} {:>9} {:>13.3f} {:>12.3f} {:>7.2f}\n", workload, grant_name,
             count.fresh, count.local, count.conflict, predicted * 1e3, measured * 1e3, measured / predicted);
}

double file_seconds(FileSystem& system, const std::string& name, const char* model, std::uint64_t blocks) {
  const auto file = open_file(system, name, model);
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < blocks; ++i) write_seconds(*file, i);
  WEIR_CHECK(file->close() == 0, "a close failed");
  return Seconds(std::chrono::steady_clock::now() - begin).count();
}

void compare_with_session(int repeats) {
  constexpr std::uint64_t kBlocks = 16'384;
  Cluster cluster(1, {lock::GrantRange::extend, lock::Settle::split});
  std::vector<double> tokens;
  std::vector<double> session;
  std::vector<double> ratios;
  for (int i = 0; i < repeats; ++i) {
    const auto system = cluster.client(0);
    session.push_back(file_seconds(*system, fmt::format("s{}", i), "session", kBlocks));
    tokens.push_back(file_seconds(*system, fmt::format("t{}", i), "posix-lock", kBlocks));
    ratios.push_back(session.back() / tokens.back());
    for (const char letter : {'s', 't'}) system->unlink(fmt::format("{}{}", letter, i));
  }
  const auto rate = [](double seconds) { return static_cast<double>(kBlocks * kBlock) / seconds / 1e6; };
  fmt::print(
      "\nunshared file, {} writes of 4 KiB and close: session {:.0f} MB/s, posix-lock {:.0f} MB/s, ratio "
      "{:.2f}\n",
      kBlocks, rate(median(session)), rate(median(tokens)), median(ratios));
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 5;
  if (repeats < 1) {
    fmt::print(stderr, "usage: burst_token_bench [REPEATS]\n");
    return 2;
  }
  Costs costs = measure_costs(100 * repeats);
  measure_new_tokens(100 * repeats, costs);
  fmt::print("a write of 4 KiB {:.1f} us; more for it: T_l {:.2f} us, T_c {:.1f} us\n", costs.plain * 1e6,
             costs.local * 1e6, costs.conflict * 1e6);
  fmt::print(
      "T_s {:.1f} us with the file's owner on the node, {:.1f} us else; a node's first of a file {:.1f} "
      "us\n\n",
      costs.near * 1e6, costs.far * 1e6, costs.first * 1e6);
  fmt::print("{:<12} {:<8} {:>7} {:>7} {:>9} {:>13} {:>12} {:>7}\n", "workload", "tokens", "new", "local",
             "conflict", "predicted ms", "measured ms", "ratio");
  const std::uint64_t writes = 50 * static_cast<std::uint64_t>(repeats);
  for (const char* const workload : {"private", "contiguous", "strided"}) {
    run_workload(workload, "exact", lock::GrantRange::exact, costs, writes);
    run_workload(workload, "extend", lock::GrantRange::extend, costs, writes);
  }
  compare_with_session(std::max(3, repeats));
  return 0;
}
