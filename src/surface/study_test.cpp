#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "stats/measured_test.hpp"
#include "surface/convergence_prediction.hpp"
#include "surface/distribution.hpp"
#include "surface/gp/gaussian.hpp"
#include "surface/model_file.hpp"
#include "surface/noise_floor.hpp"
#include "surface/points_test.hpp"
#include "surface/propose.hpp"
#include "surface/validation.hpp"

// Whole studies, on made-up maps and on the measurements of Cameron et al. (2018) where they are.
namespace weir::surface {
namespace {

namespace measured = stats::measured;

bool long_tests() { return std::getenv("WEIR_LONG_TESTS") != nullptr; }

// A map over two factors whose runs are normal about 100 with a known spread.
MapData made_up(int levels, int runs, std::uint64_t seed) {
  MapData map;
  map.factors = {Factor{.name = "a", .scale = Scale::linear, .levels = {}, .values = {}},
                 Factor{.name = "b", .scale = Scale::linear, .levels = {}, .values = {}}};
  map.at = points::grid(levels, 2);
  map.value.resize(map.at.rows());
  for (int v = 0; v < levels; ++v)
    for (Factor& factor : map.factors) factor.values.push_back(v);
  Random random(seed);
  for (Eigen::Index i = 0; i < map.at.rows(); ++i) {
    const double spread = 2 + std::sin(map.at(i, 0)) + 0.3 * map.at(i, 1);
    auto& one = map.runs.emplace_back();
    for (int r = 0; r < runs; ++r) one.push_back(100 + spread * random.normal());
    map.value[i] = map.statistic.of(one);
    map.labels.emplace_back();
  }
  return map;
}

std::vector<std::string> fread_key() { return {"freq_khz", "threads", "file_size_kb", "record_size_kb"}; }

// The 810 configurations of the paper, from single runs, in GHz, on raw scales.
std::vector<MapData> fread_maps(Scale scale) {
  const auto samples =
      stats::read_samples(std::string(WEIR_SOURCE_DIR) + "/../shared/data/moana_fread_cfq_noop_runs.csv.zst",
                          {.column = "throughput_kb_s", .group = fread_key()});
  if (!samples) return {};
  MapRequest request;
  for (const std::string& column : fread_key())
    request.factors.push_back(
        {.column = column, .unit = column == "freq_khz" ? 1e6 : 1, .scale = Scale::automatic});
  request.where = {*parse_condition("freq_khz!=3001000")};
  request.scale = scale;
  return *make_maps(*samples, request);
}

const ModelOptions kPlain = {.method = {}, .log_value = false, .geometric_in_log = false};

TEST(Validation, SplitsAreDisjointAndTheSameForTheSameSeed) {
  const auto splits = random_splits(50, 0.3, 5, 9);
  ASSERT_TRUE(splits);
  for (const Split& split : *splits) {
    EXPECT_EQ(split.train.size(), 15U);
    std::vector<bool> seen(50, false);
    for (const auto& side : {split.train, split.test})
      for (const Eigen::Index row : side) {
        EXPECT_FALSE(seen[static_cast<std::size_t>(row)]);
        seen[static_cast<std::size_t>(row)] = true;
      }
  }
  EXPECT_EQ((*splits)[3].train, (*random_splits(50, 0.3, 5, 9))[3].train);
  EXPECT_NE((*splits)[0].train, (*splits)[1].train);
  EXPECT_FALSE(random_splits(3, 0.1, 1, 1));
}

TEST(Validation, LeavingALevelOutTestsEveryRowOnce) {
  const MapData map = made_up(4, 10, 1);
  const auto splits = level_splits(map, "b");
  ASSERT_TRUE(splits);
  EXPECT_EQ(splits->size(), 4U);
  EXPECT_EQ((*splits)[2].label, "b=2");
  EXPECT_EQ((*splits)[2].test.size(), 4U);
  EXPECT_FALSE(level_splits(map, "c"));
}

// A test row at 0 on a logarithmic scale has no prediction: its factor is named, nothing is NaN.
TEST(Validation, AValueWithoutALogarithmIsNamed) {
  MapData map = made_up(4, 10, 1);
  map.at.array() += 1;
  map.factors[1].scale = Scale::log;
  map.at(0, 1) = 0;
  std::vector<Eigen::Index> rest;
  for (Eigen::Index i = 1; i < map.size(); ++i) rest.push_back(i);
  const auto tested = test_split(map, {.train = rest, .test = {0}, .label = {}}, Method::linear, kPlain);
  EXPECT_NE(tested.failed.find("factor b: 0 has no logarithm"), std::string::npos) << tested.failed;
}

TEST(Validation, FewPointsStopOnlyTheMethodsThatNeedMore) {
  MapData map = take_rows(made_up(3, 10, 1), {0, 4});
  Split split{.train = {0, 1}, .test = {1}, .label = {}};
  EXPECT_FALSE(test_split(map, split, Method::delaunay, kPlain).failed.empty());
  EXPECT_TRUE(test_split(map, split, Method::shepard, kPlain).failed.empty());
  EXPECT_TRUE(test_split(map, split, Method::linear, kPlain).failed.empty());
}

// Normal runs: the standard deviation of n runs is off by about sqrt(2 / pi) / sqrt(2 (n - 1)) of itself.
TEST(NoiseFloor, OfNormalRunsIsThatOfTheory) {
  const MapData map = made_up(10, 40, 5);
  const double theory = 100 * std::sqrt(2 / M_PI) / std::sqrt(2.0 * 39);
  EXPECT_NEAR(noise_floor(map, 200, 1, 1).percent, theory, 0.1 * theory);
  EXPECT_EQ(noise_floor(map, 50, 1, 1).percent, noise_floor(map, 50, 1, 4).percent);
}

TEST(Calibration, IntervalsHoldWhatTheyPromise) {
  const MapData map = made_up(14, 30, 3);
  const auto split = *random_splits(map.size(), 0.6, 1, 2);
  const MapData train = take_rows(map, split.front().train);
  for (const Method method : {Method::shepard, Method::delaunay, Method::gaussian}) {
    ModelOptions options;
    const auto model = Model::fit(train, method, options);
    ASSERT_TRUE(model);
    const auto calibration = calibrate(train, method, options, 1, 1);
    ASSERT_TRUE(calibration);
    const auto made = predict_intervals(*model, *calibration, map.at(split.front().test, Eigen::all), 0.9);
    int covered = 0;
    for (std::size_t i = 0; i < made.size(); ++i) {
      const double truth = map.value[split.front().test[i]];
      if (made[i].low <= truth && truth <= made[i].high) ++covered;
    }
    EXPECT_GT(covered, 0.78 * static_cast<double>(made.size())) << name(method);
    EXPECT_LT(covered, static_cast<double>(made.size())) << name(method);
  }
}

// Responses of both signs, with zeros: residuals of all rows count, and no interval is upside down.
TEST(Calibration, ValuesAtAndBelowZeroHaveIntervals) {
  MapData map = made_up(10, 5, 4);
  Random random(8);
  for (Eigen::Index i = 0; i < map.size(); ++i)
    map.value[i] = i % 5 == 0 ? 0 : map.at(i, 0) - 5 + random.normal();
  const auto split = fold_splits(map.size(), 10, 1)->front();
  const SplitErrors tested = test_split(map, split, Method::linear, kPlain);
  EXPECT_EQ(tested.rows.size(), split.test.size());
  EXPECT_TRUE(std::isfinite(tested.are_percent));
  const auto calibration = calibrate(map, Method::linear, kPlain, 1, 1);
  ASSERT_TRUE(calibration);
  EXPECT_FALSE(calibration->relative);
  EXPECT_EQ(calibration->residuals.size(), static_cast<std::size_t>(map.size()));
  // All responses above 0, but a line that falls below: ratios would turn round there.
  map.value = (map.at.col(0).array() - 4.5).square() + 0.01;
  const auto across = calibrate(map, Method::linear, kPlain, 1, 1);
  const auto model = Model::fit(map, Method::linear, kPlain);
  for (const Prediction& one : predict_intervals(*model, *across, map.at * 20, 0.9))
    EXPECT_LT(one.low, one.high);
  Prediction below{.value = -2};
  Calibration{.relative = true, .residuals = {0.5, 1, 2}}.widen(below, 0.9);
  EXPECT_LT(below.low, below.high);
}

TEST(ModelFile, ReadsBackWhatWasWrittenAndPredictsTheSame) {
  for (const Method method :
       {Method::linear, Method::shepard, Method::mars, Method::delaunay, Method::gaussian}) {
    MapData data = made_up(6, 20, 7);
    ModelFile file{.source = "made up", .program = "test", .maps = {}};
    auto model = Model::fit(data, method, {});
    ASSERT_TRUE(model);
    const Eigen::MatrixXd query = Eigen::RowVector2d(1.3, 3.6);
    const double before = model->predict(query)[0];
    auto calibration = *calibrate(data, method, {}, 1, 1);
    file.maps.push_back({std::move(data), *std::move(model), calibration});
    const auto bytes = write_model(file);
    const auto back = parse_model(bytes);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(back->maps.front().model.predict(query)[0], before) << name(method);
    EXPECT_EQ(back->maps.front().calibration.residuals, calibration.residuals);
    EXPECT_EQ(write_model(*back), bytes) << name(method);
  }
}

TEST(ModelFile, DamageIsNoticed) {
  MapData data = made_up(4, 10, 7);
  ModelFile file;
  auto model = Model::fit(data, Method::linear, {});
  file.maps.push_back({std::move(data), *std::move(model), {}});
  auto bytes = write_model(file);
  for (const std::size_t at : {std::size_t{0}, std::size_t{9}, bytes.size() / 2, bytes.size() - 1}) {
    auto damaged = bytes;
    damaged[at] ^= std::byte{4};
    EXPECT_FALSE(parse_model(damaged)) << at;
  }
  for (std::size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_FALSE(parse_model(ByteSpan(bytes).first(size))) << size;
}

// Where w falls as 1 / sqrt(n), c passes 75 % just before 26 runs and 90 % just after 33 (c(33) is 0.899).
TEST(Convergence, OfAWidthThatFallsAsTheRootIsKnown) {
  std::vector<double> widths;
  for (int n = 10; n <= 40; ++n) widths.push_back(1 / std::sqrt(n));
  EXPECT_EQ(runs_to_reach(widths, 10, 0.75), 26);
  EXPECT_EQ(runs_to_reach(widths, 10, 0.9), 34);
  EXPECT_NEAR(converged_share(widths, 10, 33), 0.9, 0.002);
  EXPECT_NEAR(converged_share(widths, 10, 26),
              (1 / std::sqrt(10) - 1 / std::sqrt(26)) / (1 / std::sqrt(10) - 1 / std::sqrt(40)), 1e-12);
  EXPECT_EQ(runs_to_reach(std::vector<double>(31, 1.0), 10, 0.75), 0);
}

// The bootstrap's 90 % width of a normal sample's standard deviation is near 2 * 1.645 s / sqrt(2 n).
TEST(Convergence, WidthsOfNormalRunsAreThoseOfTheory) {
  Random random(11);
  std::vector<double> runs;
  for (int i = 0; i < 4000; ++i) runs.push_back(random.normal());
  const auto widths = interval_curve(runs, {}, {.resamples = 4000}, 0).width;
  EXPECT_NEAR(widths.front(), 2 * 1.645 / std::sqrt(20.0), 0.06);
  EXPECT_NEAR(widths.back(), 2 * 1.645 / std::sqrt(80.0), 0.02);
  EXPECT_TRUE(std::is_sorted(widths.rbegin(), widths.rend()));
}

// Bounds are predicted better than the width between them, and neither much better than an oracle.
TEST(Convergence, BoundsAndFloorsStandBesideTheWidth) {
  const MapData map = made_up(9, 40, 11);
  const ConvergenceOptions options{.first = 10, .last = 30, .resamples = 300};
  const auto found = converge(map, options);
  ASSERT_TRUE(found) << found.error().text();
  const auto held = predict_held_out(*found, map, 0.8, Method::gaussian, {}, {20, 25}, options);
  ASSERT_TRUE(held) << held.error().text();
  EXPECT_EQ(held->places.size(), 16U);
  ASSERT_EQ(held->scores.size(), 2U);
  for (const ConvergenceScore& score : held->scores) {
    EXPECT_LT(score.predicted.low, score.predicted.width);
    EXPECT_LT(score.predicted.high, score.predicted.width);
    EXPECT_LT(score.floor.high, score.floor.width);
    EXPECT_GT(score.floor.width, 5);
    EXPECT_LT(score.predicted.width, 3 * score.floor.width);
  }
  // Where nothing was measured: between the neighbours' numbers of runs.
  const auto widths =
      predict_widths(*found, map, Eigen::RowVector2d(3.5, 4.5), Method::gaussian, {}, options);
  ASSERT_TRUE(widths) << widths.error().text();
  EXPECT_NEAR(runs_to_reach(widths->front(), 10, 0.75), 22, 3);
}

TEST(Convergence, RunsThatAreAllAlikeAreLeftOutAndNamed) {
  MapData map = made_up(5, 20, 12);
  map.runs[7].assign(20, 100.0);
  map.value[7] = 0;
  const ConvergenceOptions options{.first = 5, .last = 20, .resamples = 100};
  const auto found = converge(map, options);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->rows.size(), 24U);
  ASSERT_EQ(found->notes.size(), 1U);
  EXPECT_NE(found->notes.front().find(map.configuration(7)), std::string::npos);
  EXPECT_TRUE(predict_held_out(*found, map, 0.8, Method::linear, {}, {}, options));
}

TEST(Distribution, KolmogorovDistanceOfTwoSamplesIsThatOfR) {
  // R 4.2.2: ks.test(c(1,2,3,4,5,6,7.5), c(2.5,3.5,8,9,10))$statistic
  EXPECT_NEAR(kolmogorov_distance(std::vector<double>{1, 2, 3, 4, 5, 6, 7.5},
                                  std::vector<double>{2.5, 3.5, 8, 9, 10}),
              0.6, 1e-12);
}

// Two modes whose places move with a factor: in between they are in between, and nowhere else.
TEST(Distribution, ModesMoveWithTheFactor) {
  MapData map;
  map.factors = {Factor{.name = "x", .scale = Scale::linear, .levels = {}, .values = {}}};
  map.at.resize(11, 1);
  map.value.resize(11);
  Random random(4);
  for (int i = 0; i < 11; ++i) {
    map.at(i, 0) = i;
    map.factors[0].values.push_back(i);
    auto& runs = map.runs.emplace_back();
    for (int r = 0; r < 200; ++r)
      runs.push_back((r % 2 == 0 ? 100 + 10 * i : 300 + 20 * i) + random.normal());
    map.value[i] = map.statistic.of(runs);
    map.labels.emplace_back();
  }
  const auto fitted = DistributionMap::fit(map, 1);
  ASSERT_TRUE(fitted) << fitted.error().text();
  const auto made = fitted->predict(Eigen::VectorXd::Constant(1, 4.5), 0.9);
  EXPECT_NEAR(made.quantile[24], 145, 3);
  EXPECT_NEAR(made.quantile[74], 390, 5);
  EXPECT_LT(made.cdf(360) - made.cdf(170), 0.03);
  for (std::size_t k = 0; k < made.quantile.size(); ++k) {
    EXPECT_LE(made.low[k], made.quantile[k]);
    EXPECT_GE(made.high[k], made.quantile[k]);
  }
  const auto score = score_distributions(map, 5, 1, 1);
  ASSERT_TRUE(score);
  EXPECT_LT(score->predicted, score->neighbour);
}

// A hole in a map is where runs teach most, and what is proposed lowers the expected error step by step.
TEST(Propose, HolesComeFirst) {
  const MapData whole = made_up(8, 20, 2);
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < whole.size(); ++i)
    if (whole.at(i, 0) < 3 || whole.at(i, 0) > 6 || whole.at(i, 1) < 3 || whole.at(i, 1) > 6)
      rows.push_back(i);
  const MapData map = take_rows(whole, rows);
  const Eigen::MatrixXd candidates = likely_configurations(map, 1000, 1)->at;
  EXPECT_EQ(candidates.rows(), 64);
  const auto plan = propose(map, candidates, {.budget = 100, .batch = 20});
  ASSERT_TRUE(plan) << plan.error().text();
  ASSERT_EQ(plan->steps.size(), 5U);
  EXPECT_FALSE(plan->steps.front().measured);
  EXPECT_GE(plan->steps.front().at[0], 3);
  EXPECT_LE(plan->steps.front().at[0], 6);
  double before = plan->error_percent;
  for (const Proposal& step : plan->steps) {
    EXPECT_LT(step.error_percent, before);
    before = step.error_percent;
  }
  EXPECT_FALSE(propose(map, candidates, {.budget = 5, .batch = 20}));
}

TEST(Propose, PairsThatNeverOccurAreNotProposed) {
  MapData map = made_up(4, 10, 2);
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < map.size(); ++i)
    if (map.at(i, 1) <= map.at(i, 0)) rows.push_back(i);  // a record is not above its file
  const auto candidates = likely_configurations(take_rows(map, rows), 1000, 1);
  EXPECT_EQ(candidates->at.rows(), 10);
  EXPECT_FALSE(candidates->drawn);
}

// A map over m factors of which each row has other values, or few.
MapData scattered(int rows, int m, int levels) {
  MapData map;
  Random random(6);
  map.at.resize(rows, m);
  map.value.resize(rows);
  for (int f = 0; f < m; ++f) {
    Factor& factor = map.factors.emplace_back();
    factor.name = "f" + std::to_string(f);
    factor.scale = Scale::linear;
    std::set<double> values;
    for (int i = 0; i < rows; ++i) {
      map.at(i, f) = levels > 0 ? static_cast<double>(random.below(static_cast<std::uint64_t>(levels)))
                                : random.uniform();
      values.insert(map.at(i, f));
    }
    factor.values.assign(values.begin(), values.end());
  }
  for (int i = 0; i < rows; ++i) {
    map.value[i] = 5 + map.at(i, 0) + 0.1 * random.normal();
    map.runs.push_back({map.value[i]});
    map.labels.emplace_back();
  }
  return map;
}

// 60^6 combinations of continuous factors are not gone through, and those of ten factors come from
// everywhere.
TEST(Propose, ManyCombinationsAreDrawn) {
  const auto continuous = likely_configurations(scattered(60, 6, 0), 3000, 1);
  ASSERT_TRUE(continuous);
  EXPECT_TRUE(continuous->drawn);
  EXPECT_GT(continuous->at.rows(), 100);
  const auto grid = likely_configurations(scattered(500, 10, 4), 3000, 1);
  ASSERT_TRUE(grid);
  ASSERT_EQ(grid->at.rows(), 3000);
  EXPECT_NEAR(grid->at.col(9).bottomRows(2500).mean(), 1.5, 0.1);
  EXPECT_EQ(grid->at, likely_configurations(scattered(500, 10, 4), 3000, 1)->at);
  EXPECT_NE(grid->at, likely_configurations(scattered(500, 10, 4), 3000, 2)->at);
}

// The authors' own predictions from the 810 points (moana_validation_summary, pred4d columns): linear
// regression to five digits, Shepard with the stated fallback to 1 %, MARS of degree 3 (theirs is R's earth)
// to four digits.
TEST(Measured, MatchesTheAuthorsPredictions) {
  const auto maps = fread_maps(Scale::raw);
  if (maps.empty()) GTEST_SKIP() << measured::kAbsent;
  ASSERT_EQ(maps.front().size(), 810);
  Eigen::MatrixXd at(5, 4);
  at << 2.5, 128, 512, 32, 2.5, 128, 512, 128, 2.5, 128, 512, 256, 2.5, 128, 768, 32, 2.5, 128, 768, 128;
  struct Expected {
    Method method;
    double tolerance;
    std::array<double, 5> values;
  };
  const std::array expected = {
      Expected{Method::linear, 1e-5, {69677854.05, 64445319.51, 57468606.8, 70903419.08, 65670884.54}},
      Expected{Method::shepard, 0.01, {100051177, 82898356.43, 82898356.79, 84497128.76, 66215826.22}},
      Expected{Method::mars, 1e-4, {90064165.41, 74698559.38, 59390051.79, 86584201.15, 71218595.13}}};
  for (const Expected& one : expected) {
    const auto model = Model::fit(maps.front(), one.method, kPlain);
    ASSERT_TRUE(model);
    const Eigen::VectorXd made = model->predict(at);
    for (int i = 0; i < 5; ++i)
      EXPECT_NEAR(made[i] / one.values[static_cast<std::size_t>(i)], 1, one.tolerance)
          << name(one.method) << i;
  }
}

Average errors_of(const MapData& map, double share, Method method, const ModelOptions& options, int count) {
  std::vector<SplitErrors> errors;
  const auto splits = random_splits(map.size(), share, count, 1);
  for (const Split& split : *splits) errors.push_back(test_split(map, split, method, options));
  return average(errors);
}

constexpr std::array<double, 4> kShares = {0.9, 0.5, 0.2, 0.1};

// Two standard errors over the splits above independent implementations on the same data; a fixed share above
// where ties on a grid are broken in many ways.
void expect_no_worse(const MapData& map, Method method, const std::array<double, 4>& reference,
                     double slack) {
  ModelOptions options = kPlain;
  options.method.degree = 4;
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    const Average made = errors_of(map, kShares[i], method, options, 20);
    EXPECT_LT(made.mean, slack * reference[i] + 2 * made.error) << name(method) << " " << kShares[i];
  }
}

// SciPy's Qhull, direct evaluation of Shepard's formulas, and earth 5.3.2 with degree 4.
TEST(Measured, PlainMethodsComeOutAsTheirReferences) {
  const auto maps = fread_maps(Scale::raw);
  if (maps.empty()) GTEST_SKIP() << measured::kAbsent;
  expect_no_worse(maps.front(), Method::delaunay, {7.2, 8.1, 11.2, 19.4}, 1.3);
  expect_no_worse(maps.front(), Method::shepard, {8.6, 9.1, 13.5, 20.7}, 1);
  expect_no_worse(maps.front(), Method::mars, {42.7, 47.5, 37.1, 58.4}, 1);
}

// The 3330 configurations of random writers on an SSD, from 150 runs each.
std::vector<MapData> writers_maps(Scale scale) {
  const auto samples =
      stats::read_samples(std::string(WEIR_SOURCE_DIR) + "/../shared/data/ssd_random_writers_runs.csv.zst",
                          {.group = fread_key(), .wide = "throughput_"});
  if (!samples) return {};
  MapRequest request;
  for (const std::string& column : fread_key())
    request.factors.push_back(
        {.column = column, .unit = column == "freq_khz" ? 1e6 : 1, .scale = Scale::automatic});
  request.scale = scale;
  return *make_maps(*samples, request);
}

TEST(Measured, ShepardIsNoWorseThanItsReferenceOnTheSsd) {
  const auto maps = writers_maps(Scale::raw);
  if (maps.empty()) GTEST_SKIP() << measured::kAbsent;
  expect_no_worse(maps.front(), Method::shepard, {13.5, 25.7, 68.7, 80}, 1);
}

// Every fifth configuration, to be quick.
TEST(Measured, DistributionsArePredictedBetterThanByTheNeighbour) {
  const auto maps = writers_maps(Scale::automatic);
  if (maps.empty()) GTEST_SKIP() << measured::kAbsent;
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < maps.front().size(); i += 5) rows.push_back(i);
  const auto score = score_distributions(take_rows(maps.front(), rows), 3, 1, 0);
  ASSERT_TRUE(score) << score.error().text();
  EXPECT_LT(score->predicted, score->neighbour);
  EXPECT_LT(score->predicted, score->overall);
}

// The figures a Gaussian process is to reach: 6.0/6.3/7.5/8.5 with a floor of 5.1.
TEST(Measured, GaussianProcessNearsTheFloor) {
  const auto maps = fread_maps(Scale::automatic);
  if (maps.empty()) GTEST_SKIP() << measured::kAbsent;
  const int count = long_tests() ? 20 : 2;
  const double slack = long_tests() ? 1.0 : 1.08;
  EXPECT_NEAR(noise_floor(maps.front(), 100, 1, 0).percent, 5.1, 0.4);
  EXPECT_LT(errors_of(maps.front(), 0.9, Method::gaussian, {}, count).mean, 6.0 * slack);
  EXPECT_LT(errors_of(maps.front(), 0.2, Method::gaussian, {}, count).mean, 7.5 * slack);
  EXPECT_LT(errors_of(maps.front(), 0.1, Method::gaussian, {}, 20).mean, 8.5 * slack);
}

}  // namespace
}  // namespace weir::surface
