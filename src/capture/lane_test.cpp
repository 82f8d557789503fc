#include "capture/lane.hpp"

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.hpp"
#include "base/scratch_dir.hpp"
#include "capture/handler.hpp"
#include "trace/merge.hpp"
#include "trace/trace_file.hpp"

namespace weir::capture {
namespace {

// The recorder of a process starts once, before main(). So what is to be recorded runs in a process of its
// own: this program again, which a variable tells which part to run instead of the tests.
constexpr const char* kPartVariable = "WEIR_TEST_PART";
constexpr std::uint64_t kSeed = 41;

// Stands for the real function: returns what the test says.
template <class R>
struct Fake {
  R result;
  int failure = 0;
  template <class... Args>
  R operator()(Args... /*ignored*/) const {
    return result;
  }
  static std::uint32_t depth() { return 0; }
  int error() const { return failure; }
};

int open(const char* path, int descriptor) {
  return CaptureHandler::around<Call::open>(Fake<int>{descriptor}, path, O_RDWR, mode_t{0});
}
void pwrite(int descriptor, std::size_t bytes, off_t offset) {
  CaptureHandler::around<Call::pwrite>(Fake<ssize_t>{static_cast<ssize_t>(bytes)}, descriptor,
                                       static_cast<const void*>(""), bytes, offset);
}
void close(int descriptor) { CaptureHandler::around<Call::close>(Fake<int>{0}, descriptor); }

std::string word(std::uint64_t number) {  // a name without digits
  std::string made;
  do made.push_back(static_cast<char>('a' + number % 26));
  while ((number /= 26) > 0);
  return made;
}

void run_part(std::string_view part) {
  if (part == "loop" || part == "killed") {
    const int times = part == "loop" ? 1000 : 100'000;
    open("out.dat", 700);
    for (int i = 0; i < times; ++i) pwrite(700, 8, 8 * i);
    if (part == "killed") ::raise(SIGKILL);
    close(700);
  } else if (part == "scattered") {
    Random random(kSeed);
    open("out.dat", 700);
    for (int i = 0; i < 3000; ++i) pwrite(700, 8, static_cast<off_t>(random.below(1 << 30)));
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t bytes = random.below(1 << 20);
      pwrite(700, bytes, static_cast<off_t>(random.below(1 << 30)));
    }
  } else if (part == "numbered") {
    for (int i = 995; i < 1005; ++i) {
      const std::string name = "ckpt_" + std::string(i < 1000 ? "0" : "") + std::to_string(i);
      close(open(name.c_str(), 700));
    }
  } else if (part == "crowded") {
    for (std::uint64_t i = 0; i < 5000; ++i) close(open(word(i).c_str(), 700));
  } else if (part == "forked") {
    open("out.dat", 700);
    const pid_t child = ::fork();
    pwrite(700, child == 0 ? 1 : 2, 0);
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    close(700);
  } else if (part == "threads") {
    open("out.dat", 700);
    for (int i = 1; i <= 2; ++i) std::thread([i] { pwrite(700, static_cast<std::size_t>(i), 0); }).join();
    close(700);
  }
}

const bool kIsPart = [] {
  const char* const part = std::getenv(kPartVariable);
  if (part == nullptr) return false;
  run_part(part);
  ::_exit(0);
}();

class Recorded : public testing::Test {
 protected:
  // Runs the part and merges what it left; its status as wait() tells it.
  int run(const char* part, const char* memory = nullptr) {
    EXPECT_FALSE(kIsPart);
    std::filesystem::create_directory(run_.path() / trace::live::kFolder);
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv(kDirectoryVariable, run_.path().c_str(), 1);
      ::setenv(kPartVariable, part, 1);
      if (memory != nullptr) ::setenv(kMemoryVariable, memory, 1);
      ::execl("/proc/self/exe", "capture_test", nullptr);
      ::_exit(127);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    const auto merged = trace::merge_run(run_.path(), {});
    EXPECT_TRUE(merged.has_value()) << merged.error().text();
    if (merged) report_ = *merged;
    EXPECT_TRUE(report_.warnings.empty()) << report_.warnings[0];
    auto opened = trace::TraceFile::open(run_.path());
    EXPECT_TRUE(opened.has_value()) << opened.error().text();
    if (opened) trace_.emplace(std::move(*opened));
    return status;
  }
  const trace::TraceFile& trace() const { return *trace_; }

  template <class Use>
  void for_each(std::size_t process, std::size_t stream, Use&& use) {
    trace::RecordReader reader(trace(), process, stream);
    trace::Record record;
    while (reader.next(record)) use(record);
    EXPECT_FALSE(reader.error()) << reader.error()->text();
  }

  ScratchDir run_;
  trace::MergeReport report_;
  std::optional<trace::TraceFile> trace_;
};

TEST_F(Recorded, AnEvenLoopIsOneSignature) {
  ASSERT_EQ(run("loop"), 0);
  ASSERT_EQ(report_.records, 1002U);
  EXPECT_EQ(trace().tables().signatures.size(), 3U);
  const std::string file = (std::filesystem::current_path() / "out.dat").string();
  std::int64_t next = 0;
  for_each(0, 0, [&](const trace::Record& record) {
    if (record.function->name != "pwrite") return;
    EXPECT_EQ(record.arguments[0].text, file);
    EXPECT_EQ(record.arguments[0].number, 700);
    EXPECT_EQ(record.arguments[3].number, next);
    EXPECT_EQ(record.result.number, 8);
    next += 8;
  });
  EXPECT_EQ(next, 8000);
  EXPECT_EQ(trace().processes()[0].arguments, std::vector<std::string>{"capture_test"});
}

TEST_F(Recorded, AKilledProcessLeavesEveryRecord) {
  const int status = run("killed");
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(report_.records, 100'001U);
  EXPECT_EQ(report_.lost, 0U);
}

TEST_F(Recorded, ValuesThatDoNotRepeatGoToColumns) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  ASSERT_EQ(run("scattered"), 0);
  ASSERT_EQ(report_.records, 6001U);
  EXPECT_LT(trace().tables().signatures.size(), 128U + 512U + 8U);
  Random random(kSeed);
  std::size_t at = 0;
  for_each(0, 0, [&](const trace::Record& record) {
    if (record.function->name != "pwrite") return;
    const std::uint64_t bytes = at++ < 3000 ? 8 : random.below(1 << 20);
    ASSERT_EQ(record.arguments[2].number, static_cast<std::int64_t>(bytes)) << at;
    ASSERT_EQ(record.arguments[3].number, static_cast<std::int64_t>(random.below(1 << 30))) << at;
    ASSERT_EQ(record.result.number, static_cast<std::int64_t>(bytes)) << at;
  });
}

TEST_F(Recorded, NamesThatCountShareATemplateAcrossTheirLastZero) {
  ASSERT_EQ(run("numbered"), 0);
  EXPECT_EQ(trace().tables().templates.size(), 1U);
  EXPECT_LE(trace().tables().signatures.size(), 3U) << "the first open, those one further, close";
  int next = 995;
  for_each(0, 0, [&](const trace::Record& record) {
    if (record.function->name != "open") return;
    EXPECT_EQ(record.arguments[0].text, "ckpt_" + std::string(next < 1000 ? "0" : "") + std::to_string(next));
    ++next;
  });
  EXPECT_EQ(next, 1005);
}

// A handle that was open meanwhile is looked at again; the test's descriptor is none, so it has no name then.
TEST_F(Recorded, TablesThatReachTheMemoryBoundStartAgain) {
  ASSERT_EQ(run("crowded", "65536"), 0);
  ASSERT_EQ(report_.records, 10'000U);
  std::uint64_t next = 0;
  std::uint64_t nameless = 0;
  for_each(0, 0, [&](const trace::Record& record) {
    const std::string name = word(next);
    if (record.function->name == "open") {
      ASSERT_EQ(record.arguments[0].text, name) << next;
      ASSERT_TRUE(record.result.text.ends_with("/" + name)) << record.result.text;
      return;
    }
    ++next;
    if (record.arguments[0].text.empty()) {
      ++nameless;
    } else {
      ASSERT_TRUE(record.arguments[0].text.ends_with("/" + name)) << record.arguments[0].text;
    }
  });
  EXPECT_GE(nameless, 1U) << "there was no restart";
  EXPECT_LT(nameless, 200U);
}

TEST_F(Recorded, AForkedChildHasALaneOfItsOwn) {
  ASSERT_EQ(run("forked"), 0);
  ASSERT_EQ(trace().processes().size(), 2U);
  EXPECT_EQ(trace().processes()[1].parent, 0);
  EXPECT_EQ(trace().processes()[0].records(), 3U);
  EXPECT_EQ(trace().processes()[1].records(), 1U);
  for_each(1, 0, [](const trace::Record& record) { EXPECT_EQ(record.arguments[2].number, 1); });
}

TEST_F(Recorded, AThreadsLaneGoesToTheNextThread) {
  ASSERT_EQ(run("threads"), 0);
  ASSERT_EQ(trace().processes().size(), 1U);
  ASSERT_EQ(trace().processes()[0].streams.size(), 2U);
  std::vector<std::uint64_t> threads;
  for_each(0, 1, [&](const trace::Record& record) { threads.push_back(record.thread); });
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_NE(threads[0], threads[1]);
}

}  // namespace
}  // namespace weir::capture
