// Every program of two ranks and four calls, run in every order in which its calls can happen on a file
// system that does no more than its model promises, against what find_conflicts() says of one of these runs.
//
// The file system is simulated by what each process knows: a write is known to its process, to others once it
// is published and they have looked; it replaces what its process knew. What is not known may show or not. A
// program is safe when no two accesses, one of them a write, happen in both orders, when every read can
// return one value only, and when every write replaces all that was written before it. No clocks, no chains:
// the order comes from running.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "consistency/file_system.hpp"
#include "semantics/conflicts.hpp"
#include "semantics/order/made_program_test.hpp"
#include "semantics/program_order.hpp"
#include "semantics/verdict.hpp"

namespace weir::semantics {
namespace {

using consistency::Model;
using consistency::Operation;
using consistency::Operations;

enum class Do : std::uint8_t { open, write, read, fsync, close, send, recv, barrier };
constexpr std::size_t kCalls = 8;
constexpr std::array<const char*, kCalls> kNames = {"open",  "write", "read", "fsync",
                                                    "close", "send",  "recv", "barrier"};

using Program = std::vector<Do>;
using Programs = std::array<Program, 2>;

std::string text_of(const Programs& programs) {
  std::string text;
  for (const Program& program : programs) {
    for (const Do one : program) text += std::string(kNames[static_cast<std::size_t>(one)]) + " ";
    text += "| ";
  }
  return text;
}

// A step of a run: which rank made its next call; a barrier is one step of both.
struct Step {
  int rank;
  std::size_t call;
};
using Run = std::vector<Step>;

// All runs of the programs to their ends; none if they wait for each other.
class Runs {
 public:
  explicit Runs(const Programs& programs) : programs_(&programs) { go(); }
  const std::vector<Run>& all() const { return runs_; }

 private:
  void go() {
    const bool done = at_[0] == (*programs_)[0].size() && at_[1] == (*programs_)[1].size();
    if (done) runs_.push_back(run_);
    for (int rank = 0; rank < 2; ++rank) step(rank);
  }

  void step(int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const Program& program = (*programs_)[r];
    if (at_[r] == program.size()) return;
    const Do call = program[at_[r]];
    if (call == Do::recv && sent_[1 - r] == received_[r]) return;
    if (call == Do::barrier) {
      const Program& other = (*programs_)[1 - r];
      if (rank != 0 || at_[1] == other.size() || other[at_[1]] != Do::barrier) return;
      run_.push_back({0, at_[0]++});
      run_.push_back({1, at_[1]++});
      go();
      --at_[0];
      --at_[1];
      run_.resize(run_.size() - 2);
      return;
    }
    sent_[r] += call == Do::send ? 1 : 0;
    received_[r] += call == Do::recv ? 1 : 0;
    run_.push_back({rank, at_[r]++});
    go();
    run_.pop_back();
    --at_[r];
    sent_[r] -= call == Do::send ? 1 : 0;
    received_[r] -= call == Do::recv ? 1 : 0;
  }

  const Programs* programs_;
  std::array<std::size_t, 2> at_{};
  std::array<std::size_t, 2> sent_{};
  std::array<std::size_t, 2> received_{};
  Run run_;
  std::vector<Run> runs_;
};

bool moves(Do call) { return call == Do::read || call == Do::write; }

// The model's file system on one run. Writes are bits, numbered by rank and call.
class FileSystem {
 public:
  explicit FileSystem(const Model& model) : model_(&model) {}

  // False as soon as what is read or left is not determined.
  bool run(const Programs& programs, const Run& run) {
    for (const Step& step : run) {
      const auto rank = static_cast<std::size_t>(step.rank);
      const Do call = programs[rank][step.call];
      if (call == Do::write && !write(rank, bit(rank, step.call))) return false;
      if (call == Do::read && !read(rank)) return false;
      if (const auto operation = meaning(call)) {
        // A look at what is there follows what is brought there.
        if (model_->publishes_on(*operation)) published_ |= own_[rank];
        if (model_->sees_on(*operation)) look(rank);
      }
    }
    return true;
  }

 private:
  static std::uint32_t bit(std::size_t rank, std::size_t call) {
    return std::uint32_t{1} << (rank * 8 + call);
  }

  static std::optional<Operation> meaning(Do call) {
    switch (call) {
      case Do::open:
        return Operation::open;
      case Do::fsync:
        return Operation::fsync;
      case Do::close:
        return Operation::close;
      default:
        return std::nullopt;
    }
  }

  void look(std::size_t rank) { known_[rank] |= published_; }

  bool write(std::size_t rank, std::uint32_t one) {
    if (model_->sees_at_once()) look(rank);
    const bool replaces_all = (written_ & ~known_[rank]) == 0;
    replaced_.push_back({one, known_[rank]});
    written_ |= one;
    own_[rank] |= one;
    if (model_->own_order) known_[rank] |= one;
    if (model_->publishes_writes()) published_ |= one;
    return replaces_all;
  }

  bool read(std::size_t rank) {
    if (model_->sees_at_once()) look(rank);
    // What may show: all that nothing known has replaced. One value, or the empty file.
    std::uint32_t gone = 0;
    for (const auto& [one, before] : replaced_)
      if ((known_[rank] & one) != 0) gone |= before;
    const std::uint32_t may_show = written_ & ~gone;
    const bool nothing_written = written_ == 0;
    if (nothing_written) return true;
    // Not known at all: the old content may show as well.
    return (may_show & ~known_[rank]) == 0 && __builtin_popcount(may_show) == 1;
  }

  const Model* model_;
  std::uint32_t written_ = 0;
  std::uint32_t published_ = 0;
  std::array<std::uint32_t, 2> own_{};
  std::array<std::uint32_t, 2> known_{};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> replaced_;  // a write, and what its process knew then
};

// Whether two accesses of different ranks, one a write, happen in both orders.
bool races(const Programs& programs, const std::vector<Run>& runs) {
  std::array<std::array<int, kCalls>, kCalls> seen{};  // bit 0: first rank 0, bit 1: first rank 1
  for (const Run& run : runs)
    for (std::size_t i = 0; i < run.size(); ++i)
      for (std::size_t j = i + 1; j < run.size(); ++j) {
        if (run[i].rank == run[j].rank) continue;
        const Do one = programs[static_cast<std::size_t>(run[i].rank)][run[i].call];
        const Do other = programs[static_cast<std::size_t>(run[j].rank)][run[j].call];
        if (!moves(one) || !moves(other) || (one == Do::read && other == Do::read)) continue;
        const bool first_is_0 = run[i].rank == 0;
        int& orders = first_is_0 ? seen[run[i].call][run[j].call] : seen[run[j].call][run[i].call];
        orders |= first_is_0 ? 1 : 2;
        if (orders == 3) return true;
      }
  return false;
}

// What happens before what, by following messages and barriers.
class Reach : public Precedence {
 public:
  explicit Reach(const Programs& programs) {
    std::array<std::vector<std::size_t>, 2> sends;
    std::array<std::vector<std::size_t>, 2> receives;
    std::array<std::vector<std::size_t>, 2> barriers;
    for (std::size_t rank = 0; rank < 2; ++rank)
      for (std::size_t i = 0; i < programs[rank].size(); ++i) {
        if (i > 0) edge(rank, i - 1, rank, i);
        if (programs[rank][i] == Do::send) sends[rank].push_back(i);
        if (programs[rank][i] == Do::recv) receives[rank].push_back(i);
        if (programs[rank][i] == Do::barrier) barriers[rank].push_back(i);
      }
    for (std::size_t rank = 0; rank < 2; ++rank)
      for (std::size_t k = 0; k < receives[1 - rank].size(); ++k)
        edge(rank, sends[rank][k], 1 - rank, receives[1 - rank][k]);
    for (std::size_t k = 0; k < barriers[0].size(); ++k) {
      edge(0, barriers[0][k], 1, barriers[1][k]);
      edge(1, barriers[1][k], 0, barriers[0][k]);
    }
    for (std::size_t via = 0; via < 2 * kCalls; ++via)
      for (std::size_t from = 0; from < 2 * kCalls; ++from)
        for (std::size_t to = 0; to < 2 * kCalls; ++to)
          reach_[from][to] = reach_[from][to] || (reach_[from][via] && reach_[via][to]);
  }

  bool before(const Moment& first, const Moment& second) const override {
    return reach_[first.event.process * kCalls + first.event.record]
                 [second.event.process * kCalls + second.event.record];
  }

 private:
  void edge(std::size_t from, std::size_t call, std::size_t to, std::size_t other) {
    reach_[from * kCalls + call][to * kCalls + other] = true;
  }
  std::array<std::array<bool, 2 * kCalls>, 2 * kCalls> reach_{};
};

// The run as a file with its accesses, as they would be rebuilt from its trace.
File file_of(const Programs& programs, const Run& run) {
  File file;
  file.members = {Member{0, {}}, Member{1, {}}};
  std::int64_t now = 0;
  for (const Step& step : run) {
    const auto rank = static_cast<std::uint32_t>(step.rank);
    const Do call = programs[rank][step.call];
    ++now;
    if (moves(call)) {
      Access access;
      access.end = 1;
      access.start_ns = access.end_ns = now;
      access.record = step.call;
      access.member = rank;
      access.syncs = static_cast<std::uint32_t>(file.members[rank].syncs.size());
      access.flags = call == Do::write ? Access::kWrite : 0;
      file.accesses.push_back(access);
      file.writers += call == Do::write ? 1 : 0;
    }
    Operations operations;
    if (call == Do::open) operations.add(Operation::open);
    if (call == Do::close) operations.add(Operation::close);
    if (call == Do::fsync) operations.add(Operation::fsync);
    if (!operations.empty())
      file.members[rank].syncs.push_back({step.call, now, now, 0, operations.bits(), 0});
  }
  return file;
}

// Programs of so many calls that use the file only while it is open.
void make_programs(Program& program, std::size_t calls, bool is_open, std::vector<Program>& all) {
  if (program.size() == calls) {
    all.push_back(program);
    return;
  }
  for (std::size_t i = 0; i < kCalls; ++i) {
    const auto call = static_cast<Do>(i);
    const bool talks = call == Do::send || call == Do::recv || call == Do::barrier;
    if (!talks && (call == Do::open) == is_open) continue;
    program.push_back(call);
    make_programs(program, calls, talks ? is_open : call != Do::close, all);
    program.pop_back();
  }
}

std::size_t count(const Program& program, Do call) {
  return static_cast<std::size_t>(std::count(program.begin(), program.end(), call));
}

bool fit(const Program& one, const Program& other) {
  return count(one, Do::send) == count(other, Do::recv) && count(one, Do::recv) == count(other, Do::send) &&
         count(one, Do::barrier) == count(other, Do::barrier) &&
         count(one, Do::write) + count(other, Do::write) > 0;
}

struct Tally {
  std::uint64_t programs = 0;
  std::uint64_t runs = 0;
  std::vector<std::uint64_t> sufficient;
};

void compare(const Programs& programs, const std::vector<Model>& models, Tally& tally) {
  const Runs runs(programs);
  if (runs.all().empty()) return;
  ++tally.programs;
  tally.runs += runs.all().size();
  const bool race = races(programs, runs.all());
  const Reach reach(programs);
  for (const Run* const run : {&runs.all().front(), &runs.all().back()}) {
    const File file = file_of(programs, *run);
    const FileFindings found = find_conflicts(file, models, reach, {});
    const FileFindings pairs = find_conflicts(file, models, reach, {.all_pairs = true});
    ASSERT_EQ(found.races > 0, race) << text_of(programs);
    ASSERT_EQ(pairs.races > 0, race) << text_of(programs);
    for (std::size_t m = 0; m < models.size(); ++m) {
      const bool safe = !race && std::all_of(runs.all().begin(), runs.all().end(), [&](const Run& one) {
        return FileSystem(models[m]).run(programs, one);
      });
      ASSERT_EQ(found.sufficient(m, models[m]), safe) << models[m].name << ": " << text_of(programs);
      ASSERT_EQ(pairs.sufficient(m, models[m]), safe) << models[m].name << ": " << text_of(programs);
      tally.sufficient[m] += safe ? 1 : 0;
    }
  }
}

// All that are built in, and two that do not keep a process's own order.
std::vector<Model> models_compared() {
  std::vector<Model> models;
  for (const Model& model : consistency::built_in_models()) models.push_back(model);
  for (const char* const name : {"burstfs", "plfs"}) {
    models.push_back(consistency::find_file_system(name)->model);
    models.back().name = name;
  }
  return models;
}

void compare_all(bool is_open, std::size_t every) {
  const std::vector<Model> models = models_compared();
  std::vector<Program> all;
  Program program;
  make_programs(program, 4, is_open, all);
  Tally tally;
  tally.sufficient.resize(models.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i; j < all.size(); ++j) {
      if (!fit(all[i], all[j]) || next++ % every != 0) continue;
      compare({all[i], all[j]}, models, tally);
      if (testing::Test::HasFatalFailure()) return;
    }
  // Each model decides some programs otherwise than its neighbour: the test is not empty.
  std::string text;
  for (std::size_t m = 0; m < models.size(); ++m)
    text += models[m].name + " " + std::to_string(tally.sufficient[m] / 2) + ", ";
  std::printf("%llu programs, %llu runs; sufficient: %s\n", static_cast<unsigned long long>(tally.programs),
              static_cast<unsigned long long>(tally.runs), text.c_str());
  EXPECT_GT(tally.programs, 1000U);
  EXPECT_GT(tally.sufficient[0], tally.sufficient[1]);
  EXPECT_GT(tally.sufficient[1], tally.sufficient[3]);
  EXPECT_GT(tally.sufficient[3], tally.sufficient[4]);
}

// What `weir check` does with the trace of a run: the file is found by its name, its accesses are rebuilt
// from the calls and their order from those of MPI.
class Traced {
 public:
  Traced(const Programs& programs, const Run& run) : program_(2) {
    for (const Step& step : run) call(step.rank, programs[static_cast<std::size_t>(step.rank)][step.call]);
  }

  Verdict verdict(const std::vector<Model>& others) {
    const auto accesses = rebuild({&program_.trace()});
    EXPECT_TRUE(accesses);
    return judge(*accesses, others, ProgramOrder(*accesses));
  }

 private:
  void call(int rank, Do what) {
    using namespace made;  // NOLINT(google-build-using-namespace): parts of calls
    switch (what) {
      case Do::open:
        program_.call(rank, "open", {path("file"), literal(O_RDWR | O_CREAT), literal(0644)}, opened(0, 3));
        return;
      case Do::write:
        program_.call(rank, "pwrite", {handle(0), absent(), literal(8), literal(0)}, literal(8));
        return;
      case Do::read:
        program_.call(rank, "pread", {handle(0), absent(), literal(8), literal(0)}, literal(8));
        return;
      case Do::fsync:
        program_.call(rank, "fsync", {handle(0)});
        return;
      case Do::close:
        program_.call(rank, "close", {handle(0)});
        return;
      case Do::send:
        program_.send(rank, 1 - rank);
        return;
      case Do::recv:
        program_.receive(rank, 1 - rank);
        return;
      case Do::barrier:
        program_.barrier(rank);
        return;
    }
  }

  made::Program program_;
};

TEST(Schedules, AgreeWithTheSimulatedFileSystemFromClosedFiles) { compare_all(false, 1); }

void compare_trace(const Programs& programs, const Runs& runs, const std::vector<Model>& models) {
  const auto built_in = static_cast<std::ptrdiff_t>(consistency::built_in_models().size());
  const bool race = races(programs, runs.all());
  const Verdict verdict =
      Traced(programs, runs.all().back()).verdict({models.begin() + built_in, models.end()});
  ASSERT_EQ(verdict.races > 0, race) << text_of(programs);
  for (std::size_t m = 0; m < models.size(); ++m) {
    const bool safe = !race && std::all_of(runs.all().begin(), runs.all().end(), [&](const Run& one) {
      return FileSystem(models[m]).run(programs, one);
    });
    ASSERT_EQ(verdict.sufficient[m], safe) << models[m].name << ": " << text_of(programs);
  }
}

// Of as many programs as time allows, every one in so many.
TEST(Schedules, AgreeWithWhatIsJudgedFromTraces) {
  const std::size_t every = std::getenv("WEIR_LONG_TESTS") != nullptr ? 3 : 41;
  const std::vector<Model> models = models_compared();
  std::vector<Program> all;
  Program program;
  make_programs(program, 4, false, all);
  std::size_t next = 0;
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i; j < all.size(); ++j) {
      if (!fit(all[i], all[j]) || next++ % every != 0) continue;
      const Programs both = {all[i], all[j]};
      const Runs runs(both);
      if (runs.all().empty()) continue;
      ++looked_at;
      compare_trace(both, runs, models);
      if (HasFatalFailure()) return;
    }
  std::printf("%zu programs through their traces\n", looked_at);
  EXPECT_GT(looked_at, 100U);
}

TEST(Schedules, AgreeWithTheSimulatedFileSystemFromOpenFiles) {
  const bool all = std::getenv("WEIR_LONG_TESTS") != nullptr;
  compare_all(true, all ? 1 : 11);
}

}  // namespace
}  // namespace weir::semantics
