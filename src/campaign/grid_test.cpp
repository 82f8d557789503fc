#include "campaign/grid.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "base/scratch_dir.hpp"

namespace weir::campaign {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Grid grid_of(std::string_view text, bool toml = true) {
  auto grid = parse_grid(text, toml ? "g.toml" : "g.json", toml);
  EXPECT_TRUE(grid) << grid.error().text();
  return grid ? *std::move(grid) : Grid{};
}

std::string failure(std::string_view text, bool toml = true) {
  const auto grid = parse_grid(text, toml ? "g.toml" : "g.json", toml);
  if (!grid) return grid.error().text();
  const auto configurations = enumerate(*grid);
  EXPECT_FALSE(configurations);
  return configurations ? "" : configurations.error().text();
}

std::vector<Configuration> all_of(const Grid& grid) {
  auto configurations = enumerate(grid);
  EXPECT_TRUE(configurations) << configurations.error().text();
  const auto size = size_of(grid);
  EXPECT_TRUE(size);
  if (size && configurations) {
    EXPECT_EQ(size->designed, configurations->size());
  }
  return configurations ? *std::move(configurations) : std::vector<Configuration>{};
}

std::vector<std::string> texts(const Factor& factor) {
  std::vector<std::string> out;
  for (const Level& level : factor.levels) out.push_back(level.text);
  return out;
}

constexpr std::string_view kSmall = R"(
name = "small"
runs = 7
warm_up = 0
cool_down = "100ms"
seed = 12
constraints = ["record_size <= file_size"]
[factors]
mode = ["initial_write", "read"]
threads = [1, { from = 8, to = 24, step = 8 }]
file_size = ["4k", 65536]
record_size = { from = 4, to = 64, factor = 4, unit = "k" }
host_scheduler = "noop"
[fixed]
sync = "none"
verify = true
[commands]
host_scheduler = "ssh host set {}"
)";

TEST(Grid, ReadsEveryWord) {
  const Grid grid = grid_of(kSmall);
  EXPECT_EQ(grid.name, "small");
  EXPECT_EQ(grid.text, kSmall);
  EXPECT_EQ(grid.runs, 7u);
  EXPECT_EQ(grid.warm_up, 0u);
  EXPECT_EQ(grid.cool_down.count, 100'000'000);
  EXPECT_EQ(grid.seed, 12u);
  ASSERT_EQ(grid.factors.size(), 5u);
  EXPECT_EQ(grid.factors[0].name, "mode") << "factors keep the order of the file";
  EXPECT_THAT(texts(grid.factors[1]), ElementsAre("1", "8", "16", "24"));
  EXPECT_THAT(texts(grid.factors[2]), ElementsAre("4k", "65536"));
  EXPECT_EQ(grid.factors[2].levels[0].number, 4096);
  EXPECT_THAT(texts(grid.factors[3]), ElementsAre("4k", "16k", "64k"));
  EXPECT_EQ(grid.factors[3].levels[2].number, 65536);
  EXPECT_EQ(grid.factors[0].levels[0].number, std::nullopt);
  EXPECT_EQ(grid.factors[4].command, "ssh host set {}");
  EXPECT_THAT(grid.fixed, ElementsAre(std::pair<std::string, std::string>("sync", "none"),
                                      std::pair<std::string, std::string>("verify", "true")));
  const auto size = size_of(grid);
  ASSERT_TRUE(size);
  EXPECT_EQ(size->product, 48u);
  EXPECT_EQ(size->valid, 2u * 4 * (1 + 3));
  const auto configurations = all_of(grid);
  EXPECT_THAT(levels_of(grid, configurations.back()), ElementsAre("read", "24", "65536", "65536", "noop"));
}

TEST(Grid, JsonHasTheSameWords) {
  const Grid grid = grid_of(R"({
    "name": "small", "runs": 7, "seed": 12, "cool_down": 0.5,
    "constraints": ["record_size <= file_size"],
    "factors": {"mode": ["read"], "file_size": ["4k"], "record_size": {"from": 1, "to": 8, "factor": 2, "unit": "k"}},
    "fixed": {"sync": "none"},
    "design": {"kind": "full"}
  })",
                            false);
  EXPECT_EQ(all_of(grid).size(), 3u);
  EXPECT_EQ(grid.cool_down.count, 500'000'000);
}

TEST(Grid, FractionalRangesKeepTheirEnd) {
  const Grid grid = grid_of("[factors]\nf = { from = 1.2, to = 3.0, step = 0.1 }\n");
  ASSERT_EQ(grid.factors[0].levels.size(), 19u);
  EXPECT_EQ(grid.factors[0].levels.back().text, "3");
  EXPECT_EQ(grid.factors[0].levels[1].text, "1.3");
}

TEST(Grid, ShippedGridsHaveTheSizesOfTheirSources) {
  const std::map<std::string, std::uint64_t> kSizes = {{"quick", 12}, {"moana", 94770}, {"ssd", 32886}};
  for (const auto& [name, size] : kSizes) {
    const auto grid = read_grid(fmt::format("{}/examples/{}.toml", WEIR_SOURCE_DIR, name));
    ASSERT_TRUE(grid) << grid.error().text();
    EXPECT_EQ(all_of(*grid).size(), size) << name;
    EXPECT_EQ(grid->name, name);
  }
}

TEST(Grid, MistakesAreNamedWithTheirLine) {
  EXPECT_THAT(failure("name = \"x\"\nrnus = 3\n[factors]\na = [1]\n"),
              AllOf(HasSubstr("g.toml: line 2, column 1: a grid has no 'rnus'"), HasSubstr("'runs'")));
  EXPECT_THAT(failure("{\n  \"factors\": {\"a\": [1]},\n  \"disign\": {}\n}", false),
              AllOf(HasSubstr("g.json: line 3, column 3"), HasSubstr("'design'")));
  EXPECT_THAT(failure("{\"factors\": {\"a\": [1],\n \"a\": [2]}}", false),
              HasSubstr("line 2, column 2: 'a' stands"));
  EXPECT_THAT(failure("{\"factors\": \n tru }", false), HasSubstr("line 2"));
  EXPECT_THAT(failure("[factors]\na = [1\n"), HasSubstr("g.toml: line "));
  EXPECT_THAT(failure("[factors]\na = [1]\nconstraints = [\"a > 0\"]\n"),
              HasSubstr("move it above [factors]"));
  EXPECT_THAT(failure("[factors]\na = []\n"), HasSubstr("factor 'a' has no levels"));
  EXPECT_THAT(failure("[factors]\na = [\"64k\", 65536]\n"), HasSubstr("the level '65536' twice"));
  EXPECT_THAT(failure("[factors]\na = [1979-05-27]\n"), HasSubstr("not a date"));
  EXPECT_THAT(failure("[factors]\na = { from = 1, to = 8, stop = 2 }\n"), HasSubstr("did you mean 'step'"));
  EXPECT_THAT(failure("[factors]\na = { from = 1, to = 1e9, step = 1 }\n"),
              HasSubstr("more than 100000 levels"));
  EXPECT_THAT(failure("[factors]\na = { from = 9, to = 8, step = 1 }\n"), HasSubstr("ends before it begins"));
  EXPECT_THAT(failure("[factors]\na = { from = 0, to = 8, factor = 2 }\n"), HasSubstr("begins above 0"));
  EXPECT_THAT(failure("runs = 0\n[factors]\na = [1]\n"), HasSubstr("'runs' is 0"));
  EXPECT_THAT(failure("runs = 1.5\n[factors]\na = [1]\n"), HasSubstr("'runs' is a whole number"));
  EXPECT_THAT(failure("cool_down = \"soon\"\n[factors]\na = [1]\n"), HasSubstr("a duration"));
  EXPECT_THAT(failure("name = \"x\"\n"), HasSubstr("has no factors"));
  EXPECT_THAT(failure(""), HasSubstr("has no factors"));
  EXPECT_THAT(failure("[1, 2]", false), HasSubstr("a table of settings"));
  EXPECT_THAT(failure("[factors]\nthreads = [1]\n[fixed]\ncount = 2\n"), HasSubstr("set twice"));
  EXPECT_THAT(failure("[factors]\na = [1]\n[commands]\nb = \"set {}\"\n"), HasSubstr("which is no factor"));
  EXPECT_THAT(failure("[factors]\na = [1]\n[commands]\na = \"set\"\n"), HasSubstr("{} for the level"));
  EXPECT_THAT(failure(std::string(40, '[') + "1" + std::string(40, ']'), false), HasSubstr("nested deeper"));
  EXPECT_THAT(read_grid("grid.yaml").error().text(), HasSubstr(".toml or .json"));
}

TEST(Constraints, AreEvaluatedAsWritten) {
  const std::map<std::string, std::size_t> kCases = {
      {"a + b * 2 == 5", 2},    // (1,2), (3,1)
      {"(a + b) * 2 == 8", 3},  // (1,3), (2,2), (3,1)
      {"a - b - 1 == 0", 2},    // left to right: (2,1), (3,2)
      {"a % 2 == 1", 6},
      {"a / b > 1", 3},
      {"not a == b and not a > b", 3},
      {"not (a == b or a > b)", 3},
      {"a == 1 or b == 1 and a == 2", 4},  // and binds tighter
      {"a < 2 + 0", 3},                    // a plain left side beside a computed right one
      {"2 + 0 < a", 3},
      {"-a < -2", 3},
      {"a >= b", 6},
      {"a != b", 6},
      {"size == 64k", 9},  // a fixed field
      {"size <= a * 32k", 6},
      {"(a == 1 or a == 3) and (b <= 2)", 4},
  };
  for (const auto& [text, count] : kCases) {
    const Grid grid = grid_of(fmt::format(
        "constraints = [\"{}\"]\n[factors]\na = [1, 2, 3]\nb = [1, 2, 3]\n[fixed]\nsize = \"64k\"\n", text));
    EXPECT_EQ(all_of(grid).size(), count) << text;
  }
}

TEST(Constraints, SidesAreLookedAtOnlyWhereNeeded) {
  EXPECT_EQ(all_of(grid_of("constraints = [\"a == 0 or 6 % a == 0\"]\n[factors]\na = [0, 1, 2, 4]\n")).size(),
            3u);
  EXPECT_THAT(failure("constraints = [\"6 % a == 0\"]\n[factors]\na = [0, 1, 2, 4]\n"),
              HasSubstr("divides by zero at a = 0"));
}

TEST(Constraints, TextsAreComparedAsTexts) {
  constexpr std::string_view kGrid =
      "constraints = ['{}']\n[factors]\nmode = [\"read\", \"write\"]\nother = [\"read\", \"12\"]\nsize = "
      "[\"4k\", 8192]\n";
  const std::map<std::string, std::size_t> kCases = {{"mode == \"read\"", 4},
                                                     {"\"read\" != mode", 4},
                                                     {"mode == other", 2},
                                                     {"size == \"4096\"", 4},
                                                     {"mode != \"read\" or size > 4k", 6},
                                                     {"other == 12", 4}};
  for (const auto& [text, count] : kCases)
    EXPECT_EQ(all_of(grid_of(fmt::format(kGrid, text))).size(), count) << text;
  EXPECT_THAT(
      failure(fmt::format(kGrid, "mode < 3")),
      AllOf(HasSubstr("constraint 'mode < 3'"), HasSubstr("level 'read' of factor 'mode' is not a number")));
}

TEST(Constraints, MistakesSayWhere) {
  const std::map<std::string, std::string> kCases = {
      {"a <= c", "no factor 'c'"},
      {"fil_size > 1", "did you mean 'file_size'?"},
      {"a = 1", "write '=='"},
      {"a < 1 && a > 2", "write and, or, not"},
      {"a < file_size < 3", "not chained"},
      {"(a < 1", "a ')' is missing"},
      {"a <", "something is missing at the end"},
      {"a < 1 a", "'a' is not expected here"},
      {"a + 1", "compares nothing"},
      {"(a < 1) + 1 == 2", "a condition stands where a number is needed"},
      {"a and a > 1", "'and' joins conditions"},
      {"not a", "'not' needs a condition"},
      {"a < 12xy", "'12xy' is not a number"},
      {"a == 'x", "has no end"},
      {"a $ 1", "'$' is not known"},
      {"", "something is missing"},
  };
  for (const auto& [text, message] : kCases)
    EXPECT_THAT(failure(fmt::format("constraints = [\"{}\"]\n[factors]\na = [1]\nfile_size = [1]\n", text)),
                HasSubstr(message))
        << text;
  EXPECT_THAT(failure("constraints = [\"" + std::string(200, '(') + "\"]\n[factors]\na = [1]\n"),
              HasSubstr("too deeply nested"));
}

TEST(Constraints, DeepExpressionsNeverOverrunTheStack) {
  std::string deep;
  for (int i = 0; i < 30; ++i) deep += "1 + 2 * (";
  deep += "a" + std::string(30, ')') + " > 0";
  const auto grid = parse_grid("constraints = [\"" + deep + "\"]\n[factors]\na = [1]\n", "g.toml", true);
  if (grid) {
    EXPECT_EQ(all_of(*grid).size(), 1u);
  } else {
    EXPECT_THAT(grid.error().text(), HasSubstr("too deeply nested"));
  }
}

TEST(Grid, TheConstraintThatLeavesNothingIsNamed) {
  EXPECT_THAT(failure("constraints = [\"a <= 2\", \"a > 2\"]\n[factors]\na = [1, 2, 3, 4]\nb = [1, 2]\n"),
              HasSubstr("no configuration is valid: constraint 'a > 2' leaves none of 4"));
  EXPECT_THAT(failure("constraints = [\"s == 2\"]\n[factors]\na = [1]\n[fixed]\ns = 1\n"),
              HasSubstr("constraint 's == 2' leaves none of 1"));
}

// Counting by parts and listing with pruning against asking every configuration of the product.
TEST(Grid, CountsAndListsAgreeWithBruteForce) {
  const std::vector<std::string> kConstraints = {"a <= b", "b % a == 0", "c > d or a == 1", "d + 1 < 5",
                                                 "e != a"};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    std::string text = "constraints = [\"1 == 1\"";
    std::vector<std::string> used;
    for (const std::string& constraint : kConstraints)
      if (random.below(2) == 0) {
        used.push_back(constraint);
        text += ", \"" + constraint + "\"";
      }
    text += "]\n[factors]\n";
    std::vector<std::uint32_t> levels;
    for (const char name : std::string("abcde")) {
      levels.push_back(1 + static_cast<std::uint32_t>(random.below(5)));
      text += fmt::format("{} = {{ from = 1, to = {}, step = 1 }}\n", name, levels.back());
    }
    std::vector<Configuration> expected;
    Configuration at(5, 0);
    for (at[0] = 0; at[0] < levels[0]; ++at[0])
      for (at[1] = 0; at[1] < levels[1]; ++at[1])
        for (at[2] = 0; at[2] < levels[2]; ++at[2])
          for (at[3] = 0; at[3] < levels[3]; ++at[3])
            for (at[4] = 0; at[4] < levels[4]; ++at[4]) {
              const auto [a, b, c, d, e] = std::array{at[0] + 1, at[1] + 1, at[2] + 1, at[3] + 1, at[4] + 1};
              const std::map<std::string, bool> holds = {{"a <= b", a <= b},
                                                         {"b % a == 0", b % a == 0},
                                                         {"c > d or a == 1", c > d || a == 1},
                                                         {"d + 1 < 5", d + 1 < 5},
                                                         {"e != a", e != a}};
              if (std::all_of(used.begin(), used.end(), [&](const auto& one) { return holds.at(one); }))
                expected.push_back(at);
            }
    const Grid grid = grid_of(text);
    const auto found = enumerate(grid);
    if (expected.empty()) {
      EXPECT_FALSE(found) << "seed " << seed;
      continue;
    }
    ASSERT_TRUE(found) << "seed " << seed << ": " << found.error().text();
    EXPECT_EQ(*found, expected) << "seed " << seed;
    EXPECT_EQ(size_of(grid)->valid, expected.size()) << "seed " << seed;
  }
}

TEST(Grid, LargeGridsAreCountedOrRefused) {
  const std::string factors = [] {
    std::string text = "[factors]\n";
    for (const char name : std::string("abcdefg"))
      text += fmt::format("{} = {{ from = 1, to = 100, step = 1 }}\n", name);
    return text;
  }();
  const auto counted = size_of(grid_of("constraints = [\"a <= b\"]\n" + factors));
  ASSERT_TRUE(counted) << counted.error().text();
  EXPECT_EQ(counted->product, 100'000'000'000'000u);
  EXPECT_EQ(counted->valid, 5050u * 10'000'000'000u);
  EXPECT_THAT(failure(factors), HasSubstr("more than 10 000 000"));
  EXPECT_THAT(failure("constraints = [\"a + b + c + d + e > 1\"]\n" + factors), HasSubstr("more than 10^9"));
  EXPECT_THAT(failure(factors + "[design]\nkind = \"random\"\nshare = 1e-12\n"),
              HasSubstr("cannot be drawn"));
  EXPECT_EQ(all_of(grid_of(factors + "[design]\nkind = \"latin\"\npoints = 500\n")).size(), 500u);
}

TEST(Design, RandomShareIsExactSeededAndWithoutReplacement) {
  const std::string text =
      "seed = {}\nconstraints = [\"a <= b\"]\n[factors]\na = {{ from = 1, to = 40, step = 1 }}\n"
      "b = {{ from = 1, to = 40, step = 1 }}\n[design]\nkind = \"random\"\nshare = \"25%\"\n";
  const auto first = all_of(grid_of(fmt::format(fmt::runtime(text), 1)));
  EXPECT_EQ(first.size(), 205u);  // of 820
  EXPECT_EQ(std::set<Configuration>(first.begin(), first.end()).size(), first.size());
  for (const Configuration& at : first) EXPECT_LE(at[0], at[1]);
  EXPECT_EQ(all_of(grid_of(fmt::format(fmt::runtime(text), 1))), first);
  EXPECT_NE(all_of(grid_of(fmt::format(fmt::runtime(text), 2))), first);
}

TEST(Design, RandomShareChoosesEvenly) {
  std::map<std::uint32_t, int> chosen;
  for (int seed = 1; seed <= 2000; ++seed)
    for (const Configuration& at : all_of(grid_of(fmt::format(
             "seed = {}\n[factors]\na = [1, 2, 3, 4, 5]\n[design]\nkind = \"random\"\nshare = 0.4\n", seed))))
      ++chosen[at[0]];
  // 800 expected each, standard deviation 22.
  for (const auto& [level, count] : chosen) EXPECT_NEAR(count, 800, 110) << level;
}

TEST(Design, LatinHypercubeIsBalanced) {
  const auto grid = grid_of(
      "[factors]\na = { from = 1, to = 8, step = 1 }\nb = { from = 1, to = 5, step = 1 }\nc = { from = 1, to "
      "= 100, step = 1 }\n"
      "[design]\nkind = \"latin\"\npoints = 40\n");
  const auto points = all_of(grid);
  ASSERT_EQ(points.size(), 40u);
  std::map<std::uint32_t, int> a, b, c;
  for (const Configuration& at : points) {
    ++a[at[0]];
    ++b[at[1]];
    ++c[at[2]];
  }
  for (const auto& [level, count] : a) EXPECT_EQ(count, 5) << level;
  for (const auto& [level, count] : b) EXPECT_EQ(count, 8) << level;
  EXPECT_EQ(c.size(), 40u) << "more levels than points: no level twice";
  EXPECT_EQ(std::set<Configuration>(points.begin(), points.end()).size(), 40u);
}

TEST(Design, LatinHypercubeMeetsTheConstraints) {
  for (const std::uint64_t count : {3u, 20u, 60u, 77u, 78u}) {
    const auto grid =
        grid_of(fmt::format("constraints = [\"a <= b\"]\n[factors]\na = {{ from = 1, to = 12, step = 1 }}\nb "
                            "= {{ from = 1, to = 12, step = 1 }}\n"
                            "[design]\nkind = \"latin\"\npoints = {}\n",
                            count));
    const auto points = all_of(grid);
    EXPECT_EQ(std::set<Configuration>(points.begin(), points.end()).size(), count);
    for (const Configuration& at : points) EXPECT_LE(at[0], at[1]);
    EXPECT_EQ(all_of(grid), points);
  }
  EXPECT_THAT(failure("[factors]\na = [1, 2]\n[design]\nkind = \"latin\"\npoints = 3\n"),
              HasSubstr("3 points of 2 valid configurations"));
}

TEST(Design, ListsComeFromRowsOrAFile) {
  const ScratchDir dir;
  std::ofstream(dir.path() / "list.csv") << "threads,file_size\n2,4k\n\n# a remark\n\"1\",8192\r\n";
  std::ofstream(dir.path() / "g.toml")
      << "[factors]\nfile_size = [4096, \"8k\"]\n[design]\nkind = \"list\"\nfile = \"list.csv\"\n";
  const auto grid = read_grid(dir.path() / "g.toml");
  ASSERT_TRUE(grid) << grid.error().text();
  const auto rows = all_of(*grid);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_THAT(levels_of(*grid, rows[0]), ElementsAre("4096", "2"));
  EXPECT_THAT(levels_of(*grid, rows[1]), ElementsAre("8192", "1"));

  EXPECT_EQ(all_of(grid_of("[factors]\na = [1, 2]\nb = [\"x\", \"y\"]\n[design]\nkind = \"list\"\n"
                           "rows = [[2, \"x\"], [1, \"y\"]]\n")),
            (std::vector<Configuration>{{1, 0}, {0, 1}}));
  const std::string begin =
      "constraints = [\"a < 3\"]\n[factors]\na = [1, 2, 3]\n[design]\nkind = \"list\"\n";
  EXPECT_THAT(failure(begin + "rows = [[1], [4]]\n"),
              HasSubstr("row 2 of the list: '4' is no level of factor 'a'"));
  EXPECT_THAT(failure(begin + "rows = [[1], [3]]\n"), HasSubstr("does not meet the constraint 'a < 3'"));
  EXPECT_THAT(failure(begin + "rows = [[1], [1]]\n"), HasSubstr("a second time"));
  EXPECT_THAT(failure(begin + "rows = [[1, 2]]\n"), HasSubstr("a list of 1 levels"));
  EXPECT_THAT(failure(begin), HasSubstr("either file or rows"));
  EXPECT_THAT(failure(begin + "file = \"there_is_none.csv\"\n"), HasSubstr("there_is_none.csv"));
}

TEST(Design, MistakesAreNamed) {
  const std::string factors = "[factors]\na = [1, 2]\n[design]\n";
  EXPECT_THAT(failure(factors + "kind = \"fill\"\n"), HasSubstr("full, random, latin or list"));
  EXPECT_THAT(failure(factors + "kind = \"random\"\nshare = 0\n"), HasSubstr("above 0 and at most 1"));
  EXPECT_THAT(failure(factors + "kind = \"latin\"\npoint = 3\n"), HasSubstr("did you mean 'points'"));
  EXPECT_THAT(failure(factors + "kind = \"latin\"\npoints = -3\n"), HasSubstr("above 0"));
}

}  // namespace
}  // namespace weir::campaign
