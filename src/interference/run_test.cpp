#include "interference/run.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/scratch_dir.hpp"
#include "interference/cells.hpp"
#include "interference/together.hpp"

namespace weir::interference {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const campaign::Watched::Options kUnwatched{.monitors = false, .limits = {}, .root = "/"};

Side small(const char* name, std::uint64_t chunks = 20) {
  Side side;
  side.load = *pattern(name);
  side.chunk = Bytes(16384);
  side.processes = 2;
  side.size = Bytes(chunks * 16384);
  return side;
}

Side command(const std::string& line) {
  Side side;
  side.load = *command_load("cmd=" + line);
  return side;
}

bool holds_nothing(const fs::path& directory) { return fs::is_empty(directory); }

TEST(Together, EveryPatternRunsBesideEveryOther) {
  const ScratchDir scratch;
  for (const auto& probe : pattern_names())
    for (const auto& signal : pattern_names()) {
      const Side sides[] = {small(probe.c_str()), small(signal.c_str())};
      const auto together = run_together(sides, scratch.path(), kUnwatched);
      ASSERT_TRUE(together) << probe << " " << signal << " " << together.error().text();
      ASSERT_EQ(together->sides.size(), 2U);
      for (const SideResult& side : together->sides) {
        EXPECT_DOUBLE_EQ(side.course.total(), 2.0 * 20 * 16384);
        EXPECT_GT(side.rate, 0);
        EXPECT_GE(side.whole_s, side.course.end_s());
      }
      const double first = std::min(together->sides[0].course.when(0.9 * 2 * 20 * 16384),
                                    together->sides[1].course.when(0.9 * 2 * 20 * 16384));
      EXPECT_DOUBLE_EQ(together->counted_s, first) << "the source's rule";
      EXPECT_TRUE(holds_nothing(scratch.path()));
    }
}

TEST(Together, SharedFilesOfAllPatterns) {
  const ScratchDir scratch;
  for (const char* const name : {"owc", "ws", "aw"}) {
    Side side = small(name);
    side.layout = workload::Layout::shared;
    const auto together = run_together({&side, 1}, scratch.path(), kUnwatched);
    ASSERT_TRUE(together) << together.error().text();
    EXPECT_DOUBLE_EQ(together->sides[0].course.total(), 2.0 * 20 * 16384);
  }
}

TEST(Together, AnEndlessSignalGoesOnUntilTheProbeHasEnded) {
  const ScratchDir scratch;
  Side signal = small("aw", 10);
  signal.endless = true;
  const Side sides[] = {command("for i in 1 2 3 4 5 6; do head -c 65536 /dev/zero > f$i; sleep 0.05; done"),
                        signal};
  const auto together = run_together(sides, scratch.path(), kUnwatched);
  ASSERT_TRUE(together) << together.error().text();
  EXPECT_GE(together->sides[0].course.total(), 6.0 * 65536) << "what a command writes is seen";
  EXPECT_GE(together->sides[0].whole_s, 0.3);
  EXPECT_GT(together->sides[1].course.total(), 2.0 * 10 * 16384) << "more than one lap";
  EXPECT_TRUE(holds_nothing(scratch.path()));
}

TEST(Together, ACommandThatFailsSaysWhy) {
  const ScratchDir scratch;
  Side signal = small("aw", 10);
  signal.endless = true;
  const Side sides[] = {command("echo no such input >&2; exit 7"), signal};
  const auto together = run_together(sides, scratch.path(), kUnwatched);
  ASSERT_FALSE(together);
  EXPECT_THAT(together.error().text(),
              testing::AllOf(HasSubstr("cmd"), HasSubstr("7"), HasSubstr("no such input")));
  EXPECT_TRUE(holds_nothing(scratch.path())) << "the signal was stopped and removed its files";
}

TEST(Together, ASignalThatEndsEarlyMakesTheRunInvalid) {
  const ScratchDir scratch;
  const Side sides[] = {
      command("for i in 1 2 3 4 5 6 7 8 9 10; do head -c 65536 /dev/zero > f$i; sleep 0.1; done"),
      command("head -c 4096 /dev/zero > g")};
  const auto together = run_together(sides, scratch.path(), kUnwatched);
  ASSERT_FALSE(together);
  EXPECT_THAT(together.error().text(), HasSubstr("let the signal run longer"));
}

TEST(Together, ASignalThatWritesNothingAndEndsEarlyMakesTheRunInvalid) {
  const ScratchDir scratch;
  const std::string probe =
      "for i in 1 2 3 4 5 6 7 8 9 10; do head -c 65536 /dev/zero > f$i; sleep 0.1; done";
  for (const char* const signal : {"true", "echo nothing to do", "sleep 0.05"}) {
    const Side sides[] = {command(probe), command(signal)};
    const auto together = run_together(sides, scratch.path(), kUnwatched);
    ASSERT_FALSE(together) << signal;
    EXPECT_THAT(together.error().text(),
                testing::AllOf(HasSubstr("ended after"), HasSubstr("let the signal run longer")));
  }
  const Side unseen[] = {command("sleep 1"), command("true")};
  EXPECT_FALSE(run_together(unseen, scratch.path(), kUnwatched)) << "nor of a probe whose work is not seen";
}

TEST(Together, ASignalThatWritesNothingCountsUntilItEnds) {
  const ScratchDir scratch;
  const Side sides[] = {
      command("for i in 1 2 3 4 5 6 7 8 9 10; do head -c 65536 /dev/zero > f$i; sleep 0.1; done"),
      command("echo waiting; sleep 0.6")};
  const auto together = run_together(sides, scratch.path(), kUnwatched);
  ASSERT_TRUE(together) << together.error().text();
  EXPECT_DOUBLE_EQ(together->counted_s, together->sides[1].whole_s);
  EXPECT_LT(together->counted_s, together->sides[0].course.when(0.9 * together->sides[0].course.total()));
}

TEST(Together, AWorkerThatCannotWriteIsNamed) {
  const ScratchDir scratch;
  Side side = small("owc");
  const auto together = run_together({&side, 1}, scratch.path() / "missing", kUnwatched);
  ASSERT_FALSE(together);
  EXPECT_THAT(together.error().text(), testing::AllOf(HasSubstr("open_write_close"), HasSubstr("missing")));
}

class Campaigns : public testing::Test {
 protected:
  Campaigns() {
    fs::create_directory(scratch.path() / "storage");
    options.directory = scratch.path() / "storage";
    options.watched.monitors = false;
    options.machine = "here";
    for (const char* const name : {"owc", "aw"}) experiment.loads.push_back(*pattern(name));
    experiment.pairs = all_pairs(2);
    experiment.settings.resize(1);
    experiment.settings[0].chunk = experiment.settings[0].signal_chunk = Bytes(16384);
    experiment.size = Bytes(20 * 16384);
    experiment.runs = 3;
  }

  void SetUp() override {
    auto opened = campaign::Store::open(scratch.path() / "runs.db");
    ASSERT_TRUE(opened) << opened.error().text();
    store.emplace(*std::move(opened));
  }

  // Runs what is missing of the campaign.
  Result<Progress> run(std::int64_t number) {
    return run_experiment(*store, number, experiment, options, [](const Progress&) {});
  }

  ScratchDir scratch;
  std::optional<campaign::Store> store;
  RunOptions options;
  Experiment experiment;
};

TEST_F(Campaigns, RowsBecomeCells) {
  ASSERT_TRUE(calibrate(experiment, options, [](auto, auto) {}));
  const auto number = add_campaign(*store, experiment, options.directory);
  ASSERT_TRUE(number) << number.error().text();
  const auto progress = run(*number);
  ASSERT_TRUE(progress) << progress.error().text();
  EXPECT_EQ(progress->done, 5U * 3) << "two alone, three pairs";
  EXPECT_EQ(progress->failed, 0U);
  const auto cells = read_cells(*store, *number, {});
  ASSERT_TRUE(cells) << cells.error().text();
  ASSERT_EQ(cells->cells.size(), 4U);
  ASSERT_EQ(cells->alone.size(), 2U);
  for (const Cell& cell : cells->cells) {
    EXPECT_EQ(cell.counted.beside, 3U);
    EXPECT_EQ(cell.counted.alone, 3U);
    EXPECT_LE(cell.counted.percent, 100);
    const Json json = to_json(cell);
    for (const char* const field :
         {"probe", "signal", "chunk_bytes", "degradation_percent", "low", "high", "best_of_five_percent"})
      EXPECT_TRUE(json.contains(field)) << field;
    EXPECT_TRUE(json["low"].is_null()) << "three runs have no interval";
  }
  EXPECT_THAT(cells->warnings, testing::Contains(HasSubstr("fewer than 9 runs")));
  EXPECT_THAT(cells->warnings, testing::Contains(testing::AllOf(HasSubstr("alone"), HasSubstr("too short"))));
  EXPECT_THAT(cells->warnings, testing::Contains(HasSubstr("4 of 4 cells count less than 1 s")));
  EXPECT_EQ(std::ranges::count(to_csv(*cells), '\n'), 5);
  EXPECT_THAT(to_csv(*cells), testing::AllOf(HasSubstr("cached_bytes\n"), HasSubstr("aggregate_write,")));
  // Nothing is missing: a resumed session runs nothing.
  const auto again = run(*number);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->done, 5U * 3);
  EXPECT_TRUE(holds_nothing(options.directory));
}

TEST_F(Campaigns, ACommandAndAPatternMakeAMatrix) {
  experiment.loads = {*command_load("cmd=for i in 1 2 3; do head -c 65536 /dev/zero > f$i; sleep 0.02; done"),
                      *pattern("aw")};
  experiment.runs = 2;
  ASSERT_TRUE(calibrate(experiment, options, [](auto, auto) {}));
  const auto number = add_campaign(*store, experiment, options.directory);
  ASSERT_TRUE(number) << number.error().text();
  const auto progress = run(*number);
  ASSERT_TRUE(progress) << progress.error().text();
  EXPECT_EQ(progress->done, 6U * 2) << "two alone, four pairs";
  const auto cells = read_cells(*store, *number, {});
  ASSERT_TRUE(cells) << cells.error().text();
  EXPECT_EQ(cells->cells.size(), 4U);
  experiment.pairs.pop_back();
  EXPECT_FALSE(run(*number)) << "the campaign has other configurations";
}

TEST_F(Campaigns, AnEndlessSignalHasNoRateToLose) {
  experiment.pairs = {{0, 1}};
  experiment.settings.resize(2, experiment.settings[0]);
  experiment.settings[1].signal_duty = 0.5;
  experiment.period = Nanoseconds(20'000'000);
  experiment.runs = 1;
  ASSERT_TRUE(calibrate(experiment, options, [](auto, auto) {}));
  const auto number = add_campaign(*store, experiment, options.directory);
  ASSERT_TRUE(number) << number.error().text();
  ASSERT_TRUE(run(*number));
  std::size_t endless = 0;
  ASSERT_TRUE(
      store->for_each_run(*number, true, [&](const campaign::RunRow& row, const campaign::Levels& levels) {
        if (levels[1] == kAlone) return;
        ASSERT_EQ(row.workers.at("rates").size(), 2U);
        endless += levels[7] == "0.5" ? 1 : 0;
        EXPECT_EQ(row.workers.at("rates")[1].is_null(), levels[7] == "0.5") << row.workers;
      }));
  EXPECT_EQ(endless, 1U);
}

TEST_F(Campaigns, OnlyARateThatIsKnownCanBeSerialised) {
  experiment.pairs = {{0, 1}};
  const auto number = add_campaign(*store, experiment, options.directory);
  ASSERT_TRUE(number) << number.error().text();
  const auto configurations = trials_of(experiment).configurations;
  for (std::size_t i = 0; i < configurations.size(); ++i)
    for (std::uint32_t repeat = 0; repeat < 2; ++repeat) {
      campaign::RunRow row;
      row.configuration = static_cast<std::int64_t>(i);
      row.repeat = repeat;
      row.machine = "here";
      row.throughput = row.throughput_together = 100;
      row.workers = {{"rates", Json::array({100})}};
      row.notes = Json::array();
      if (configurations[i][1] != kAlone)
        row.workers["rates"].push_back(repeat == 0 ? Json(nullptr) : Json(1));
      ASSERT_TRUE(store->add_run(*number, row));
    }
  const auto cells = read_cells(*store, *number, {});
  ASSERT_TRUE(cells) << cells.error().text();
  ASSERT_EQ(cells->cells.size(), 2U);
  for (const Cell& cell : cells->cells) EXPECT_EQ(cell.serialised, 1U) << "of two, one has no rate";
}

TEST_F(Campaigns, FailuresAreRowsAndThreeInARowEndIt) {
  experiment.loads = {*command_load("bad=exit 3")};
  experiment.pairs = all_pairs(1);
  experiment.runs = 5;
  const auto number = add_campaign(*store, experiment, options.directory);
  ASSERT_TRUE(number);
  const auto progress = run(*number);
  ASSERT_FALSE(progress);
  EXPECT_THAT(progress.error().text(), HasSubstr("bad: ended with 3"));
  const auto cells = read_cells(*store, *number, {});
  ASSERT_TRUE(cells);
  EXPECT_EQ(cells->failed, 3U);
}

TEST_F(Campaigns, SizesAreFoundThatTakeTheTime) {
  experiment.size.reset();
  experiment.time = Nanoseconds(300'000'000);
  options.room = Bytes(std::uint64_t{256} << 20U);
  ASSERT_TRUE(calibrate(experiment, options, [](auto, auto) {}));
  ASSERT_EQ(experiment.sizes.size(), 2U);
  for (const auto& [key, size] : experiment.sizes) {
    EXPECT_EQ(size.count % 16384, 0U) << key;
    EXPECT_GE(size.count, 10U * 16384) << key;
    EXPECT_LE(size.count * 2, options.room.count / 2) << key << ": two processes in half the room";
  }
  options.room = Bytes(std::uint64_t{256} << 10U);
  experiment.sizes.clear();
  const auto full = calibrate(experiment, options, [](auto, auto) {});
  ASSERT_FALSE(full);
  EXPECT_THAT(full.error().text(), HasSubstr("--room"));
}

TEST_F(Campaigns, OtherKindsAreRefused) {
  campaign::CampaignFacts facts;
  facts.factors = {"mode"};
  const auto number = store->add_campaign(facts, {{"read"}});
  ASSERT_TRUE(number) << number.error().text();
  const auto cells = read_cells(*store, *number, {});
  ASSERT_FALSE(cells);
  EXPECT_THAT(cells.error().text(), HasSubstr("kind bench"));
}

}  // namespace
}  // namespace weir::interference
