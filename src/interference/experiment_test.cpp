#include "interference/experiment.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"

namespace weir::interference {
namespace {

Experiment three_patterns() {
  Experiment experiment;
  for (const char* const name : {"owc", "ws", "aw"}) experiment.loads.push_back(*pattern(name));
  experiment.pairs = all_pairs(3);
  experiment.settings.resize(1);
  return experiment;
}

TEST(Load, PatternsHaveTheSourcesFlushes) {
  EXPECT_EQ(pattern("owc")->name, "open_write_close");
  EXPECT_EQ(pattern("open_write_close")->job.sync, workload::Sync::fsync);
  EXPECT_EQ(pattern("ws")->job.sync, workload::Sync::fsync);
  EXPECT_EQ(pattern("aw")->job.sync, workload::Sync::none);
  EXPECT_FALSE(pattern("aw")->job.sync_at_end) << "what is cached at the end is told, not flushed";
  EXPECT_EQ(pattern("awf")->job.sync, workload::Sync::fsync);
  const auto unknown = pattern("aggregate_wrote");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().text(), testing::HasSubstr("aggregate_write"));
}

TEST(Load, CommandsHaveNames) {
  const auto load = command_load("sim=./sim --in=x");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->name, "sim");
  EXPECT_EQ(load->command, "./sim --in=x");
  for (const char* const wrong : {"sim", "=x", "sim=", "a b=x", "owc=x", "none=x"})
    EXPECT_FALSE(command_load(wrong)) << wrong;
}

TEST(Load, DutiesAreSharesOfTheTime) {
  EXPECT_DOUBLE_EQ(parse_duty("25%").value_or(0), 0.25);
  EXPECT_DOUBLE_EQ(parse_duty("100").value_or(0), 1);
  for (const char* const wrong : {"", "%", "0%", "101%", "25%%", "x"})
    EXPECT_FALSE(parse_duty(wrong)) << wrong;
}

// Nine cells from six pairs, as in the source, and each pattern alone once.
TEST(Trials, APairGivesBothDirections) {
  const Trials trials = trials_of(three_patterns());
  std::size_t together = 0, alone = 0;
  std::set<std::size_t> measured;
  for (const Trial& trial : trials.trials) {
    (trial.sides.size() == 2 ? together : alone) += 1;
    for (const auto& configuration : trial.configurations) measured.insert(configuration.value());
  }
  EXPECT_EQ(together, 6U);
  EXPECT_EQ(alone, 3U);
  EXPECT_EQ(trials.configurations.size(), 12U);
  EXPECT_EQ(measured.size(), 12U);
  for (const auto& levels : trials.configurations) EXPECT_EQ(levels.size(), factor_names().size());
}

TEST(Trials, PeriodicSignalsOutlastTheProbeAndAreNotMeasured) {
  Experiment experiment = three_patterns();
  experiment.pairs = {{0, 2}};
  experiment.settings[0].signal_duty = 0.25;
  experiment.settings[0].signal_processes = 4;
  const Trials trials = trials_of(experiment);
  ASSERT_EQ(trials.configurations.size(), 2U);
  const auto pair =
      std::ranges::find_if(trials.trials, [](const Trial& trial) { return trial.sides.size() == 2; });
  EXPECT_TRUE(pair->sides[1].endless);
  EXPECT_FALSE(pair->sides[0].endless);
  EXPECT_FALSE(pair->configurations[1]);
  EXPECT_EQ(pair->sides[1].period, experiment.period);
  EXPECT_EQ(pair->sides[1].processes, 4U);
}

TEST(Trials, PatternsOutlastACommandButNotTheOtherWayRound) {
  Experiment experiment;
  experiment.loads = {*command_load("sim=true"), *pattern("aw")};
  experiment.pairs = {{0, 1}, {1, 0}};
  experiment.settings.resize(1);
  const Trials trials = trials_of(experiment);
  std::size_t endless = 0, together = 0;
  for (const Trial& trial : trials.trials) {
    if (trial.sides.size() != 2) continue;
    ++together;
    endless += trial.sides[1].endless ? 1 : 0;
    EXPECT_FALSE(trial.configurations[1]) << "each direction is a trial of its own";
  }
  EXPECT_EQ(together, 2U);
  EXPECT_EQ(endless, 1U);
}

TEST(Trials, AConfigurationBelongsToOneTrial) {
  Experiment experiment;
  experiment.loads = {*command_load("sim=true"), *command_load("other=true"), *pattern("aw"),
                      *pattern("owc")};
  experiment.pairs = all_pairs(4);
  experiment.settings.resize(2);
  experiment.settings[1].signal_duty = 0.5;
  const Trials trials = trials_of(experiment);
  std::vector<std::size_t> owners(trials.configurations.size());
  for (const Trial& trial : trials.trials) {
    std::set<std::size_t> own;
    for (const auto& configuration : trial.configurations)
      if (configuration) own.insert(*configuration);
    for (const std::size_t one : own) ++owners[one];
  }
  for (std::size_t i = 0; i < owners.size(); ++i)
    EXPECT_EQ(owners[i], 1U) << testing::PrintToString(trials.configurations[i]);
}

TEST(Experiment, ComesBackFromTheStore) {
  Experiment experiment = three_patterns();
  experiment.loads.push_back(*command_load("sim=./sim"));
  experiment.settings[0].layout = workload::Layout::shared;
  experiment.settings[0].signal_duty = 0.5;
  experiment.size = Bytes(123);
  experiment.sizes["a b"] = Bytes(77);
  const Json json = to_json(experiment);
  const auto back = experiment_from_json(json);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), json);
  EXPECT_EQ(trials_of(*back).configurations, trials_of(experiment).configurations);
  for (const auto& [key, value] : json.items()) {
    Json damaged = json;
    damaged.erase(key);
    EXPECT_FALSE(experiment_from_json(damaged)) << key;
  }
  Json wrong = json;
  wrong["pairs"] = {{0, 99}};
  EXPECT_FALSE(experiment_from_json(wrong));
}

}  // namespace
}  // namespace weir::interference
