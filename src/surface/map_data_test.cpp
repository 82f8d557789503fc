#include "surface/map_data.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "surface/anova.hpp"
#include "surface/scaling.hpp"
#include "surface/slice.hpp"

namespace weir::surface {
namespace {

using testing::HasSubstr;

Result<std::vector<MapData>> maps_of(const std::string& text, MapRequest request,
                                     const std::string& column = "y") {
  stats::SampleQuery query;
  query.column = column;
  query.group = request.key_columns();
  const auto samples = stats::parse_samples(text, "test.csv", query);
  if (!samples) return samples.error();
  return make_maps(*samples, request);
}

MapRequest over(const std::vector<std::string>& factors) {
  MapRequest request;
  for (const std::string& factor : factors) request.factors.push_back(*parse_factor(factor));
  return request;
}

TEST(Factor, UnitAndScaleAreRead) {
  const auto factor = parse_factor("freq_khz/1e6:log");
  ASSERT_TRUE(factor);
  EXPECT_EQ(factor->column, "freq_khz");
  EXPECT_EQ(factor->unit, 1e6);
  EXPECT_EQ(factor->scale, Scale::log);
  EXPECT_FALSE(parse_factor("a/0"));
  EXPECT_FALSE(parse_factor("a:loud"));
  EXPECT_FALSE(parse_factor(":log"));
}

TEST(Factor, PowersOfTwoAreGeometricAndEvenStepsAreNot) {
  Factor factor{.name = "x", .levels = {}, .values = {1, 2, 4, 8, 16}};
  EXPECT_TRUE(factor.geometric());
  factor.values = {1, 2, 3, 4, 5};
  EXPECT_FALSE(factor.geometric());
  factor.values = {0, 1, 2, 4};
  EXPECT_FALSE(factor.geometric());
}

TEST(Statistic, OfASampleByHand) {
  const std::vector<double> runs = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_NEAR(parse_statistic("std")->of(runs), std::sqrt(32.0 / 7), 1e-12);
  EXPECT_NEAR(parse_statistic("mean")->of(runs), 5, 1e-12);
  EXPECT_NEAR(parse_statistic("variance")->of(runs), 32.0 / 7, 1e-12);
  EXPECT_NEAR(parse_statistic("cv")->of(runs), std::sqrt(32.0 / 7) / 5, 1e-12);
  EXPECT_NEAR(parse_statistic("median")->of(runs), 4.5, 1e-12);
  EXPECT_NEAR(parse_statistic("q90")->of(runs), 7.6, 1e-12);  // R: quantile(c(2,4,4,4,5,5,7,9), 0.9)
  EXPECT_FALSE(parse_statistic("q101"));
  EXPECT_FALSE(parse_statistic("spread"));
  EXPECT_TRUE(std::isnan(parse_statistic("std")->of(std::vector<double>{1})));
}

TEST(MapData, RunsOfAConfigurationAreReduced) {
  const auto maps = maps_of("t,s,y\n1,4,1\n1,4,3\n2,4,5\n2,4,9\n2,8,1\n2,8,1\n", over({"t", "s"}));
  ASSERT_TRUE(maps) << maps.error().text();
  const MapData& map = maps->front();
  EXPECT_EQ(map.size(), 3);
  EXPECT_NEAR(map.value[0], std::sqrt(2.0), 1e-12);
  EXPECT_EQ(map.configuration(2), "t=2 s=8");
}

TEST(MapData, RepeatsOfAConfigurationAreMergedAndTold) {
  MapRequest request = over({"t"});
  request.response_given = true;
  const auto maps = maps_of("t,y\n1,10\n2,20\n1,14\n1.0,18\n", request);
  ASSERT_TRUE(maps);
  EXPECT_EQ(maps->front().size(), 2);
  EXPECT_NEAR(maps->front().value[0], 14, 1e-12);
  EXPECT_FALSE(maps->front().notes.empty());
}

TEST(MapData, ConstantFactorsAreDroppedWithANote) {
  MapRequest request = over({"t", "u"});
  request.response_given = true;
  const auto maps = maps_of("t,u,y\n1,5,10\n2,5,20\n", request);
  ASSERT_TRUE(maps);
  EXPECT_EQ(maps->front().factors.size(), 1U);
  EXPECT_THAT(maps->front().notes, testing::Contains(HasSubstr("factor u has one value only")));
  EXPECT_TRUE(parse_configuration(maps->front(), {{"t", "1"}, {"u", "5"}}));
  EXPECT_FALSE(parse_configuration(maps->front(), {{"t", "1"}, {"u", "6"}}));
}

TEST(MapData, SplitsMakeMapsAndWordsMakeLevels) {
  MapRequest request = over({"t", "mode"});
  request.split = {"host"};
  request.response_given = true;
  const auto maps = maps_of("host,mode,t,y\na,read,1,1\na,write,2,2\nb,read,1,3\nb,write,4,4\n", request);
  ASSERT_TRUE(maps);
  ASSERT_EQ(maps->size(), 2U);
  EXPECT_EQ((*maps)[1].name(), "host=b");
  EXPECT_EQ((*maps)[0].factors[1].levels, (std::vector<std::string>{"read", "write"}));
  const Scaling scaling((*maps)[0].factors, (*maps)[0].at, true, false);
  EXPECT_EQ(scaling.coordinates((*maps)[0].at), (Eigen::MatrixXd(2, 2) << 0, 0, 1, 1).finished());
}

TEST(MapData, ConditionsKeepAndLeaveOut) {
  MapRequest request = over({"t"});
  request.where = {*parse_condition("k=1"), *parse_condition("t!=4")};
  request.response_given = true;
  const auto maps = maps_of("t,k,y\n1,1,1\n2,0,2\n3,1,3\n4.0,1,4\n", request);
  ASSERT_TRUE(maps);
  EXPECT_EQ(maps->front().size(), 2);
  EXPECT_FALSE(parse_condition("k"));
}

TEST(MapData, QueriesNameWhatIsWrong) {
  MapRequest request = over({"t", "mode"});
  request.response_given = true;
  const auto maps = maps_of("mode,t,y\nread,1,1\nwrite,2,2\nread,2,3\n", request);
  ASSERT_TRUE(maps);
  const MapData& map = maps->front();
  EXPECT_THAT(parse_configuration(map, {{"t", "1"}}).error().text(), HasSubstr("factor mode has no value"));
  EXPECT_THAT(parse_configuration(map, {{"t", "1"}, {"mode", "raed"}}).error().text(),
              HasSubstr("did you mean 'read'"));
  EXPECT_THAT(parse_configuration(map, {{"t", "x"}, {"mode", "read"}}).error().text(),
              HasSubstr("'x' is not a number"));
  EXPECT_THAT(parse_configuration(map, {{"u", "1"}}).error().text(), HasSubstr("no factor 'u'"));
}

// Type II sums of squares of an unbalanced layout: R 4.2.2, deviance(lm()) of nested models.
TEST(Anova, AgreesWithR) {
  MapData map;
  map.factors = {Factor{.name = "a", .scale = Scale::linear, .levels = {}, .values = {1, 2, 3}},
                 Factor{.name = "b", .scale = Scale::linear, .levels = {}, .values = {1, 2}}};
  const std::vector<double> a = {1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 1, 2, 3};
  const std::vector<double> b = {1, 1, 2, 2, 1, 2, 2, 1, 2, 2, 1, 1, 1, 2};
  const std::vector<double> v = {3.1, 2.9, 4.2, 4.4, 5.0, 6.9, 7.2, 4.0, 8.1, 8.3, 4.4, 3.3, 5.2, 7.9};
  map.at.resize(14, 2);
  map.at.col(0) = Eigen::Map<const Eigen::VectorXd>(a.data(), 14);
  map.at.col(1) = Eigen::Map<const Eigen::VectorXd>(b.data(), 14);
  map.value = Eigen::Map<const Eigen::VectorXd>(v.data(), 14);
  const auto anova = analyse_variance(map, false);
  ASSERT_TRUE(anova) << anova.error().text();
  ASSERT_EQ(anova->effects.size(), 3U);
  EXPECT_EQ(anova->effects[0].name, "b");
  EXPECT_NEAR(anova->effects[0].squares, 19.15438235, 1e-7);
  EXPECT_EQ(anova->effects[1].name, "a");
  EXPECT_NEAR(anova->effects[1].squares, 17.94402521, 1e-7);
  EXPECT_NEAR(anova->effects[1].f, 220.84954, 1e-4);
  EXPECT_NEAR(anova->effects[1].p_value, 1.0015e-07, 1e-11);
  EXPECT_EQ(anova->effects[2].name, "a x b");
  EXPECT_NEAR(anova->effects[2].squares, 4.628117647, 1e-7);
  EXPECT_NEAR(anova->effects[2].p_value, 1.8536e-05, 1e-9);
  EXPECT_EQ(anova->effects[2].freedom, 2);
  EXPECT_NEAR(anova->residual_squares, 0.325, 1e-9);
  EXPECT_EQ(anova->residual_freedom, 8);
}

// One value in each cell of two factors: only a sum of both can be told from chance.
TEST(Anova, AFullGridOfTwoFactorsHasEffectsWithoutPairs) {
  MapRequest request = over({"a", "b"});
  request.response_given = true;
  std::string text = "a,b,y\n";
  for (int a = 0; a < 5; ++a)
    for (int b = 0; b < 6; ++b)
      text += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(100 * a + b + (a * b) % 3) +
              "\n";
  const auto anova = analyse_variance(maps_of(text, request)->front(), false);
  ASSERT_TRUE(anova) << anova.error().text();
  ASSERT_EQ(anova->effects.size(), 2U);
  EXPECT_EQ(anova->effects[0].name, "a");
  EXPECT_EQ(anova->residual_freedom, 20);
  EXPECT_THAT(anova->notes, testing::Contains(HasSubstr("pairs are left out")));
}

// Ten factors with another value in every row: groups few enough for all pairs, in no time.
TEST(Anova, ContinuousFactorsAreTakenInFewGroups) {
  MapData map;
  map.at.resize(300, 10);
  for (int f = 0; f < 10; ++f) {
    for (int i = 0; i < 300; ++i) map.at(i, f) = std::fmod((i + 1) * std::sqrt(f + 2.5), 1.0);
    Factor& factor = map.factors.emplace_back();
    factor.name = "f" + std::to_string(f);
    factor.scale = Scale::linear;
    factor.values.assign(map.at.col(f).begin(), map.at.col(f).end());
    std::sort(factor.values.begin(), factor.values.end());
  }
  map.value = 3 * map.at.col(4) + 0.1 * map.at.col(7);
  const auto anova = analyse_variance(map, false);
  ASSERT_TRUE(anova) << anova.error().text();
  EXPECT_EQ(anova->effects.front().name, "f4");
  EXPECT_EQ(anova->effects.size(), 55U);
  EXPECT_GE(anova->residual_freedom, 200);
}

// Only configurations that have a partner at the other value are compared.
TEST(Slice, AChangeComparesLikeWithLike) {
  MapRequest request = over({"t", "s", "u"});
  request.response_given = true;
  const auto maps = maps_of("t,s,u,y\n1,4,1,10\n2,4,1,13\n1,4,2,1000\n2,8,1,7\n2,8,3,9\n1,8,3,8\n", request);
  ASSERT_TRUE(maps);
  const auto change =
      slice(maps->front(), {.x = "s", .y = "", .at = {}, .change = "t", .from = "1", .to = "2"});
  ASSERT_TRUE(change);
  EXPECT_EQ(change->value(0, 0), 3);
  EXPECT_EQ(change->count(0, 0), 1);
  EXPECT_EQ(change->value(0, 1), 1);
  EXPECT_EQ(change->count(0, 1), 1);
}

TEST(Factor, TextKeepsWhatWasMeasured) {
  const Factor factor{.name = "x", .levels = {}, .values = {}};
  EXPECT_EQ(factor.text(123456789012), "123456789012");
  EXPECT_EQ(factor.text(0.1), "0.1");
  const Factor other{.name = "x", .unit = 1e6, .levels = {}, .values = {}};
  EXPECT_EQ(other.text(3001000 / 1e6), "3001000");
}

TEST(Slice, TablesAndChanges) {
  MapRequest request = over({"t", "s"});
  request.response_given = true;
  const auto maps = maps_of("t,s,y\n1,4,1\n1,8,2\n2,4,10\n2,8,30\n4,4,100\n", request);
  ASSERT_TRUE(maps);
  const auto table = slice(maps->front(), {.x = "t", .y = "s"});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->value(1, 1), 30);
  EXPECT_TRUE(std::isnan(table->value(1, 2)));
  const auto line = slice(maps->front(), {.x = "t", .y = "", .at = {{"s", "4"}}});
  EXPECT_EQ(line->value(0, 2), 100);
  const auto change =
      slice(maps->front(), {.x = "s", .y = "", .at = {}, .change = "t", .from = "1", .to = "2"});
  EXPECT_EQ(change->value(0, 0), 9);
  EXPECT_EQ(change->value(0, 1), 28);
  EXPECT_THAT(slice(maps->front(), {.x = "t", .y = "", .at = {{"s", "5"}}}).error().text(),
              HasSubstr("was not measured"));
}

}  // namespace
}  // namespace weir::surface
