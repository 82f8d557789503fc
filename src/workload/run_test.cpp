#include "workload/run.hpp"

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/json.hpp"
#include "base/scratch_dir.hpp"
#include "workload/detail/test_help.hpp"
#include "workload/detail/worker.hpp"

namespace weir::workload {
namespace {

namespace fs = std::filesystem;
using test::in_child;
using test::names_in;
using testing::HasSubstr;
using testing::IsEmpty;

Job small_job(const fs::path& directory) {
  Job job;
  job.count = 2;
  job.file_size = Bytes(64 * 4096);
  job.directory = directory;
  return job;
}

TEST(Run, TellsTimesOfEveryWorkerAndOperation) {
  ScratchDir scratch;
  Job job = small_job(scratch.path());
  for (const Workers workers : {Workers::threads, Workers::processes}) {
    job.workers = workers;
    const auto outcome = run(job);
    ASSERT_TRUE(outcome) << outcome.error().text();
    ASSERT_EQ(outcome->workers.size(), 2U);
    for (const WorkerTimes& worker : outcome->workers) {
      EXPECT_GE(worker.begin.count, 0);
      EXPECT_GT(worker.end, worker.begin);
      EXPECT_EQ(worker.bytes, job.file_size);
      EXPECT_EQ(worker.operations, 64U);
      EXPECT_LE(worker.open + worker.close, worker.end - worker.begin);
    }
    EXPECT_EQ(outcome->write.count, 128U);
    EXPECT_EQ(outcome->read.count, 0U);
    EXPECT_LE(outcome->write.p50, outcome->write.p99);
    EXPECT_LE(outcome->write.p999, outcome->write.max);
    EXPECT_LE(outcome->together, outcome->whole);
    EXPECT_LE(outcome->bytes_together, outcome->bytes);
    EXPECT_GT(outcome->throughput(), 0);
    EXPECT_GT(outcome->started_ns, 1'500'000'000'000'000'000);
  }
}

TEST(Run, OneWorkerIsTogetherWithItselfAllTheTime) {
  ScratchDir scratch;
  Job job = small_job(scratch.path());
  job.count = 1;
  const auto outcome = run(job);
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(outcome->bytes_together, outcome->bytes);
  EXPECT_GT(outcome->throughput_together(), 0);
}

TEST(Run, OutcomesComeBackFromJson) {
  ScratchDir scratch;
  Job job = small_job(scratch.path());
  job.cache = Cache::cold;
  job.mode = Mode::read;
  const auto outcome = run(job);
  ASSERT_TRUE(outcome) << outcome.error().text();
  const Json json = to_json(*outcome);
  const auto back = outcome_from_json(json);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), json);
  for (const char* const field : {"bytes", "workers", "read", "notes", "verified"}) {
    Json damaged = json;
    damaged[field] = "x";
    EXPECT_FALSE(outcome_from_json(damaged)) << field;
    damaged.erase(field);
    EXPECT_FALSE(outcome_from_json(damaged)) << field;
  }
  EXPECT_FALSE(outcome_from_json(Json(3)));
}

TEST(Run, KeptFilesAreWhereTheNotesSay) {
  ScratchDir scratch;
  Job job = small_job(scratch.path());
  job.keep = true;
  const auto outcome = run(job);
  ASSERT_TRUE(outcome) << outcome.error().text();
  const auto names = names_in(scratch.path());
  ASSERT_EQ(names.size(), 1U);
  EXPECT_THAT(outcome->notes, testing::Contains(HasSubstr(names[0])));
  EXPECT_EQ(fs::file_size(scratch.path() / names[0] / "worker1"), job.file_size.count);
  EXPECT_EQ(remove_leftovers(scratch.path()), 0U) << "kept files are nobody's to remove";
}

TEST(Run, WhatAKilledRunLeftIsRemovedByTheNext) {
  ScratchDir scratch;
  const std::string left = in_child([&] {
    (void)detail::RunDirectory::make(scratch.path(), true);
    auto directory = detail::RunDirectory::make(scratch.path(), false);
    std::ofstream(directory->path() / "worker0") << "bytes";
    ::raise(SIGKILL);
    return std::string();
  });
  EXPECT_THAT(left, HasSubstr("killed by signal 9"));
  ASSERT_EQ(names_in(scratch.path()).size(), 2U);
  ASSERT_TRUE(run(small_job(scratch.path())));
  ASSERT_EQ(names_in(scratch.path()).size(), 1U);
  EXPECT_THAT(names_in(scratch.path())[0], HasSubstr("weir-kept"));
}

TEST(Run, AFlippedByteIsFoundWithItsPlace) {
  ScratchDir scratch;
  Job job = small_job(scratch.path());
  job.verify = true;
  for (const Mode mode : {Mode::read, Mode::rewrite, Mode::mixed}) {
    job.mode = mode;
    const detail::Task task = detail::task_of(job, 0, scratch.path());
    ASSERT_TRUE(detail::prepare(task));
    auto worker = detail::make_worker(task);
    ASSERT_TRUE(worker) << worker.error().text();
    auto lane = std::make_unique<detail::Lane>();
    const std::atomic<std::uint32_t> stop{0};
    lane->stop = &stop;
    const auto flip = [&](std::streamoff at) {
      std::fstream file(task.file, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(at);
      const auto byte = static_cast<char>(file.get() ^ 1);
      file.seekp(at);
      file.put(byte);
    };
    Result<void> done;
    if (mode == Mode::read) {
      flip(12345);
      done = (*worker)->run(*lane);
    } else {
      ASSERT_TRUE((*worker)->run(*lane));
      ASSERT_TRUE(detail::read_back(task));
      flip(12345);
      done = detail::read_back(task);
    }
    ASSERT_FALSE(done) << name(mode);
    EXPECT_EQ(done.error().code(), Errc::bad_data);
    EXPECT_THAT(done.error().text(), HasSubstr(task.file.string()));
    EXPECT_THAT(done.error().text(), HasSubstr("offset 12345: expected byte 0x"));
  }
}

// A write that never reached the file must not be taken for a success because an older one left the same
// bytes.
TEST(Run, ALostRewriteIsFound) {
  ScratchDir scratch;
  Job job = small_job(scratch.path());
  job.mode = Mode::rewrite;
  const detail::Task task = detail::task_of(job, 0, scratch.path());
  ASSERT_TRUE(detail::prepare(task));
  EXPECT_FALSE(detail::read_back(task));
}

// Kills a child of this process once there are `count` of them.
void kill_one_child(std::size_t count) {
  const auto children = [] {
    std::vector<pid_t> found;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator("/proc", failed)) {
      std::ifstream stat(entry.path() / "stat");
      std::string line;
      if (!std::getline(stat, line)) continue;
      const auto after = line.rfind(") ");
      if (after == std::string::npos) continue;
      if (std::atoi(line.c_str() + after + 4) == ::getpid()) found.push_back(std::atoi(line.c_str()));
    }
    return found;
  };
  std::vector<pid_t> found;
  while ((found = children()).size() < count) std::this_thread::yield();
  ::kill(found.back(), SIGKILL);
}

TEST(Run, AKilledWorkerIsReportedAndTheOthersAreEnded) {
  ScratchDir scratch;
  const std::string said = in_child([&] {
    Job job = small_job(scratch.path());
    job.mode = Mode::write_seek;  // runs long, takes no space
    job.workers = Workers::processes;
    job.count = 3;
    job.file_size = Bytes(std::uint64_t{1} << 50U);
    std::jthread killer([] { kill_one_child(3); });
    const auto outcome = run(job);
    if (outcome) return std::string("went well");
    return outcome.error().text() + (::waitpid(-1, nullptr, 0) < 0 ? "; no child left" : "; a child is left");
  });
  EXPECT_THAT(said, testing::ContainsRegex("worker [0-2] was killed by signal 9 \\(Killed\\)"));
  EXPECT_THAT(said, HasSubstr("no child left"));
  EXPECT_THAT(names_in(scratch.path()), IsEmpty());
}

TEST(Run, AFileThatCannotGrowFailsClearly) {
  ScratchDir scratch;
  for (const Workers workers : {Workers::threads, Workers::processes})
    for (const Engine engine : test::kEngines)
      for (const Mode mode : {Mode::initial_write, Mode::read}) {
        if (engine == Engine::uring && !test::has_uring()) continue;
        const std::string said = in_child([&] {
          std::signal(SIGXFSZ, SIG_IGN);
          const rlimit limit{100'000, 100'000};
          ::setrlimit(RLIMIT_FSIZE, &limit);
          Job job = small_job(scratch.path());
          job.workers = workers;
          job.engine = engine;
          job.mode = mode;
          const auto outcome = run(job);
          return outcome ? std::string("went well") : outcome.error().text();
        });
        EXPECT_THAT(said, HasSubstr("File too large")) << name(engine) << name(mode);
        EXPECT_THAT(said, HasSubstr("make file_size smaller"));
        EXPECT_THAT(names_in(scratch.path()), IsEmpty());
      }
}

// Mounts something small and fleeting over `at`, seen by this process alone; false where that is forbidden.
bool mount_here(const char* type, const fs::path& at, const char* options) {
  if (::unshare(CLONE_NEWNS) != 0) return false;
  ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  return ::mount("weir", at.c_str(), type, 0, options) == 0;
}

TEST(Run, AFullDiskFailsClearlyAndLeavesNothing) {
  ScratchDir scratch;
  for (const Engine engine : test::kEngines)
    for (const Workers workers : {Workers::threads, Workers::processes}) {
      if (engine == Engine::uring && !test::has_uring()) continue;
      const std::string said = in_child([&]() -> std::string {
        if (!mount_here("tmpfs", scratch.path(), "size=128k")) return "no mount";
        Job job = small_job(scratch.path());
        job.engine = engine;
        job.workers = workers;
        const auto outcome = run(job);
        if (outcome) return "went well";
        return fmt::format("{}; {}; {} left", name(outcome.error().code()), outcome.error().text(),
                           names_in(scratch.path()).size());
      });
      if (said == "no mount") GTEST_SKIP() << "mounting is not allowed here";
      EXPECT_THAT(said, testing::StartsWith("full; worker ")) << name(engine);
      EXPECT_THAT(said, HasSubstr("No space left on device"));
      EXPECT_THAT(said, HasSubstr("; 0 left"));
    }
}

TEST(Run, AFileSystemThatRefusesODirectIsNamed) {
  ScratchDir scratch;
  const std::string said = in_child([&]() -> std::string {
    if (!mount_here("ramfs", scratch.path(), nullptr)) return "no mount";
    if (const int fd = ::open((scratch.path() / "f").c_str(), O_CREAT | O_DIRECT | O_WRONLY, 0600); fd >= 0)
      return "no mount";
    fs::remove(scratch.path() / "f");
    Job job = small_job(scratch.path());
    job.sync = Sync::direct;
    const auto outcome = run(job);
    return outcome ? "went well" : outcome.error().text();
  });
  if (said == "no mount") GTEST_SKIP() << "no file system here refuses O_DIRECT";
  EXPECT_THAT(said, HasSubstr("refuses O_DIRECT; choose another directory"));
}

TEST(Run, DirectoriesThatCannotBeUsedAreNamed) {
  ScratchDir scratch;
  Job job = small_job(scratch.path() / "absent");
  auto outcome = run(job);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().text(), HasSubstr("absent: cannot use it: No such file or directory"));
  std::ofstream(scratch.path() / "file") << "no directory";
  job.directory = scratch.path() / "file";
  outcome = run(job);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().text(), HasSubstr("is no directory"));

  const std::string said = in_child([&]() -> std::string {
    if (::geteuid() == 0) {
      if (!mount_here("tmpfs", scratch.path(), "ro")) return "no mount";
    } else {
      ::chmod(scratch.path().c_str(), 0500);
    }
    const auto refused = run(small_job(scratch.path()));
    ::chmod(scratch.path().c_str(), 0700);
    return refused ? "went well" : refused.error().text();
  });
  if (said == "no mount") GTEST_SKIP() << "root may write everywhere, and mounting is not allowed";
  EXPECT_THAT(said,
              testing::ContainsRegex("cannot make files in it: (Read-only file system|Permission denied); "
                                     "choose a directory you may write to"));
}

TEST(Run, TheFirstFailureEndsAll) {
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
  GTEST_SKIP() << "the sanitizer opens a pipe to look at an object's type, and here no descriptor is left";
#endif
#endif
  ScratchDir scratch;
  for (const Workers workers : {Workers::threads, Workers::processes}) {
    const std::string said = in_child([&]() -> std::string {
      Job job = small_job(scratch.path());
      job.count = 8;
      job.workers = workers;
      const int next = ::dup(0);
      const int second = ::dup(0);
      ::close(next);
      ::close(second);
      const auto most =
          static_cast<rlim_t>(second) + 1;  // two: to make files and remove them, not to use them
      const rlimit limit{most, most};
      ::setrlimit(RLIMIT_NOFILE, &limit);
      const auto outcome = run(job);
      return outcome ? "went well" : outcome.error().text();
    });
    EXPECT_THAT(said, testing::ContainsRegex("worker [0-7]: .*: cannot open: Too many open files"));
  }
  EXPECT_THAT(names_in(scratch.path()), IsEmpty());
}

TEST(Run, ColdCachesAreMadeOrTheReaderIsTold) {
  ScratchDir scratch;
  Job job = small_job(scratch.path());
  job.mode = Mode::read;
  job.cache = Cache::cold;
  const auto outcome = run(job);
  ASSERT_TRUE(outcome) << outcome.error().text();
  for (const std::string& note : outcome->notes)
    EXPECT_THAT(note, testing::AnyOf(HasSubstr("could not be dropped"), HasSubstr("lies in memory"),
                                     HasSubstr("stayed in memory"), HasSubstr("no moment")));
}

}  // namespace
}  // namespace weir::workload
