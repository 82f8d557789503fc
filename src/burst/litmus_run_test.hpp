#pragma once

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "burst/litmus_program_test.hpp"
#include "burst/test_cluster.hpp"

// Litmus programs on the real file system. A byte of the reference stands for `unit` bytes of the file, so
// that those of a program lie in several blocks, and blocks are shared by neighbours.
namespace weir::burst {

inline bool is_long_run() { return std::getenv("WEIR_LONG_TESTS") != nullptr; }

// Two thirds of a block: each byte of a program shares blocks with others, and many lie across borders.
inline constexpr std::size_t kUnitAcrossBlocks = lock::kBlockSize * 2 / 3;

inline const consistency::Model* model_named(std::string_view name) {
  if (name == "posix-lock") name = "posix";  // the same outcomes by other means
  return name == "none" ? nullptr : consistency::find_model(name);
}

inline std::string spread(std::string_view text, std::size_t unit) {
  std::string all;
  for (const char byte : text) all.append(unit, byte);
  return all;
}

// What was read, a byte a unit; '!' where the bytes of one are not the same.
inline std::string gathered(std::string_view all, std::size_t unit) {
  std::string text;
  for (; !all.empty(); all.remove_prefix(std::min(unit, all.size()))) {
    const std::string_view one = all.substr(0, unit);
    text += one == std::string(unit, one.front()) ? one.front() : '!';
  }
  return text;
}

inline std::string read_units(File& file, std::size_t length, std::size_t begin, std::size_t unit) {
  const std::string all = read_text_at(file, length * unit, begin * unit);
  return all.starts_with("error") ? all : gathered(all, unit);
}

// One step of a program; `reads` gets what it read.
inline void do_step(FileSystem& system, std::shared_ptr<File>& file, const std::string& path,
                    std::string_view model, const LitmusStep& step, std::vector<std::string>& reads,
                    std::size_t unit = 1) {
  switch (step.what) {
    case LitmusStep::Do::open:
      file = open_with(system, path, model);
      return;
    case LitmusStep::Do::write:
      EXPECT_EQ(write_text(*file, spread(step.text, unit), step.begin * unit), 0);
      return;
    case LitmusStep::Do::append:
      EXPECT_EQ(file->append(bytes_of(spread(step.text, unit))).error, 0);
      return;
    case LitmusStep::Do::read:
      reads.push_back(read_units(*file, step.length, step.begin, unit));
      return;
    case LitmusStep::Do::sync:
      EXPECT_EQ(file->sync(consistency::Operation::fsync), 0);
      return;
    case LitmusStep::Do::attach:
      EXPECT_EQ(file->attach_all(), 0);
      return;
    case LitmusStep::Do::query:
      EXPECT_EQ(file->query_all(), 0);
      return;
    case LitmusStep::Do::close:
      EXPECT_EQ(file->close(), 0);
      file.reset();
      return;
  }
}

using LitmusSide = std::function<void(FileSystem&, int round)>;

// Runs the sides at the same time, each a client of its own, `rounds` times; they begin each round together.
inline void together(TestCluster& cluster, int rounds, const std::vector<LitmusSide>& sides) {
  std::atomic<int> arrived = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < sides.size(); ++i)
    threads.emplace_back([&, i] {
      const auto system = cluster.client(static_cast<std::uint32_t>(i % cluster.job().servers.size()));
      for (int round = 0; round < rounds; ++round) {
        ++arrived;
        while (arrived.load() < (round + 1) * static_cast<int>(sides.size())) std::this_thread::yield();
        sides[i](*system, round);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

struct LitmusRun {
  LitmusOutcome outcome;
  LitmusTimes times;
};

// One program after the other, each on a file of its own with its processes at the same time.
inline std::vector<LitmusRun> run_together(TestCluster& cluster, std::string_view model,
                                           const std::vector<LitmusProgram>& programs, std::size_t unit = 1) {
  constexpr std::size_t kMostProcesses = 4;
  std::vector<LitmusRun> runs;
  for (const LitmusProgram& program : programs)
    runs.push_back({LitmusOutcome(program.processes.size()), LitmusTimes(program.processes.size())});
  std::atomic<std::uint64_t> now = 0;
  std::vector<LitmusSide> sides;
  for (std::size_t p = 0; p < kMostProcesses; ++p)
    sides.push_back([&, p](FileSystem& system, int round) {
      const auto i = static_cast<std::size_t>(round);
      if (p >= programs[i].processes.size()) return;
      Random random(i, p);
      std::shared_ptr<File> file;
      for (const LitmusStep& step : programs[i].processes[p]) {
        for (std::uint64_t spins = random.below(3) * random.below(2000); spins > 0; --spins)
          std::atomic_signal_fence(std::memory_order_seq_cst);
        if (random.below(4) == 0) std::this_thread::yield();
        const std::uint64_t begin = now++;
        do_step(system, file, "together" + std::to_string(i), model, step, runs[i].outcome[p], unit);
        runs[i].times[p].push_back({begin, now++});
      }
    });
  together(cluster, static_cast<int>(programs.size()), sides);
  return runs;
}

}  // namespace weir::burst
