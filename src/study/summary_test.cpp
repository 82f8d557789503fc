#include "study/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/scratch_dir.hpp"

namespace weir::study {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Run run_of(std::uint64_t number, std::string where, double io_s, std::vector<Difference> differences = {}) {
  Run run;
  run.number = number;
  run.where = std::move(where);
  run.io_s = io_s;
  run.run_s = io_s + 1;
  run.written_bytes = 1000;
  run.differences = std::move(differences);
  return run;
}

TEST(Verdict, WhatDiffersAnyhowIsNotHeldAgainstIt) {
  const Verdict good =
      verdict_of({run_of(1, "own", 1), run_of(2, "own", 1, {{"log", "differs from byte 3 on"}}),
                  run_of(3, "session", 1, {{"log", "differs from byte 9 on"}})});
  EXPECT_TRUE(good.same);
  EXPECT_EQ(good.compared, 1U);
  EXPECT_THAT(good.varying, ElementsAre("log"));
  const Verdict shorter =
      verdict_of({run_of(1, "own", 1), run_of(2, "own", 1, {{"log", "differs from byte 3 on"}}),
                  run_of(3, "session", 1, {{"log", "has 20 bytes instead of 21"}})});
  EXPECT_TRUE(shorter.same) << "times are of other lengths";
  const Verdict bad = verdict_of({run_of(1, "own", 1), run_of(2, "session", 1, {{"data", "is missing"}})});
  EXPECT_FALSE(bad.same);
  EXPECT_EQ(bad.different, 1U);
  EXPECT_THAT(bad.examples, ElementsAre("data is missing (run 2, session)"));
}

TEST(Verdict, AFileThatVariesMustBeThere) {
  for (const char* const what :
       {"is missing", "is new", "is still there", "is of another kind", "has 0 bytes instead of 20"}) {
    const auto first = run_of(1, "own", 1), burst = run_of(3, "session", 1, {{"log", what}});
    const Verdict bad = verdict_of({first, run_of(2, "own", 1, {{"log", "differs from byte 3 on"}}), burst});
    EXPECT_FALSE(bad.same) << what;
    EXPECT_THAT(bad.varying, ElementsAre("log"));
    EXPECT_TRUE(verdict_of({first, run_of(2, "own", 1, {{"log", what}}), burst}).same) << what;
  }
  EXPECT_FALSE(verdict_of({run_of(1, "own", 1), run_of(2, "own", 1, {{"log", "is missing"}}),
                           run_of(3, "session", 1, {{"log", "differs from byte 3 on"}})})
                   .same);
}

TEST(Runs, KeepWhatTheyAre) {
  auto run = run_of(7, "commit", 0.25, {{"a", "is new"}});
  run.document = {{"schema", "weir.run/1"}};
  const auto again = run_from_json(to_json(run));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_json(*again), to_json(run));
  EXPECT_THAT(runs_csv({run}), HasSubstr("\n7,commit,0.250000000,1.250000000,"));
  EXPECT_FALSE(run_from_json(Json::object()));
}

TEST(Runs, TheDocumentComesAfterWhatTheProgramPrinted) {
  const std::string text =
      "{\n \"schema\": \"weir.run/1\"} is no document\nend{\n  \"a\": {\n    \"b\": 1\n  },\n  \"schema\": "
      "\"weir.run/1\"\n}\n";
  const auto found = last_document(text, "weir.run/1");
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->at("a").at("b"), 1);
  EXPECT_FALSE(last_document(text, "weir.fit/1"));
  EXPECT_FALSE(last_document("", "weir.run/1"));
}

TEST(Study, GoesOnFromItsDirectoryAndSaysTenLines) {
  const ScratchDir scratch;
  const std::vector<std::string> command = {"./app", "out"};
  {
    auto state = State::open(scratch.path() / "study", command, "");
    ASSERT_TRUE(state) << state.error().text();
    state->traced = true;
    state->place = "/scratch/out";
    state->files = 2;
    for (int i = 0; i < 3; ++i) {
      state->runs.push_back(run_of(static_cast<std::uint64_t>(2 * i + 1), "own", 2 + 0.01 * i));
      state->runs.push_back(run_of(static_cast<std::uint64_t>(2 * i + 2), "session", 1 + 0.01 * i));
    }
    ASSERT_TRUE(state->save());
    EXPECT_FALSE(State::open(scratch.path() / "study", command, "")) << "one at a time";
  }
  const auto other = State::open(scratch.path() / "study", {"./app"}, "");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), Errc::usage);
  const auto state = State::open(scratch.path() / "study", command, "");
  ASSERT_TRUE(state) << state.error().text();
  Facts facts;
  facts.command = command;
  facts.model = "session";
  facts.made = {{"command", {"weir", "study"}}, {"host", "node1"}};
  const Json document = study_document(*state, facts);
  EXPECT_EQ(document.at("made"), facts.made);
  EXPECT_NEAR(document.at("gain").at("io").at("factor").get<double>(), 2.01 / 1.01, 1e-12);
  EXPECT_EQ(document.at("samples").size(), 2U);
  EXPECT_NEAR(document.at("samples")[1].at("bandwidth_bytes_per_s").get<double>(), 1000 / 1.01, 1e-9);
  EXPECT_THAT(document.at("summary").get<std::vector<std::string>>(), SizeIs(10));
}

TEST(Study, KeepsNamesThatAreNoText) {
  const ScratchDir scratch;
  const std::filesystem::path out = scratch.path() / "study", data = scratch.path() / "data";
  const std::string name = "m\xe4rz.dat";
  const std::vector<std::string> command = {"./app", "data/" + name, "\xc3\xa4 \\x"};
  std::filesystem::create_directory(data);
  ASSERT_TRUE(replace_file(data / name, as_bytes(std::string("of the user"))));
  const Original::Options options = {.directory = data, .copies = out / "original", .skip = {}};
  {
    auto state = State::open(out, command, data.string());
    ASSERT_TRUE(state) << state.error().text();
    const auto kept = Original::keep(options);
    ASSERT_TRUE(kept) << kept.error().text();
    state->original = kept->to_json();
    state->removed = {name};
    state->runs.push_back(run_of(1, "own", 1, {{name, "is new"}}));
    ASSERT_TRUE(state->save());
  }
  const auto state = State::open(out, command, data.string());
  ASSERT_TRUE(state) << state.error().text();
  EXPECT_THAT(state->removed, ::testing::Optional(ElementsAre(name)));
  EXPECT_EQ(state->runs[0].differences[0].name, name);
  const auto original = Original::read(options, state->original);
  ASSERT_TRUE(original) << original.error().text();
  ASSERT_TRUE(replace_file(data / name, as_bytes(std::string("changed by a run"))));
  const auto back = original->put_back();
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(read_text(data / name).value_or("missing"), "of the user");
}

TEST(Study, RemovesTheBufferOfARunThatWasKilled) {
  const ScratchDir scratch;
  const std::filesystem::path out = scratch.path() / "study";
  for (const char* const name : {"weir-study-abcdef", "of-somebody-else"}) {
    const std::filesystem::path left = scratch.path() / name;
    std::filesystem::create_directories(left / "buffer");
    {
      auto state = State::open(out, {"./app"}, "");
      ASSERT_TRUE(state) << state.error().text();
      state->workplace = left;
      ASSERT_TRUE(state->save());
    }
    const auto state = State::open(out, {"./app"}, "");
    ASSERT_TRUE(state) << state.error().text();
    EXPECT_TRUE(state->workplace.empty());
    EXPECT_EQ(std::filesystem::exists(left), !left.filename().string().starts_with(State::kWorkplace));
  }
}

TEST(Study, IsOfTheProgramAndInputThatWereTraced) {
  const ScratchDir scratch;
  const std::filesystem::path here = std::filesystem::canonical(scratch.path()), out = here / "study",
                              input = here / "input";
  const std::vector<std::string> command = {"sh", input.string(), "no-file"};
  const auto put = [&](const std::string& text) { ASSERT_TRUE(replace_file(input, as_bytes(text))); };
  const auto open = [&] { return State::open(out, command, ""); };
  put("one");
  ASSERT_TRUE(open());
  put("another");
  {
    auto state = open();
    ASSERT_TRUE(state) << "nothing was traced yet: " << state.error().text();
    EXPECT_EQ(state->inputs.size(), 2U) << state->inputs;
    EXPECT_EQ(state->inputs.at(input.string()).at("size_bytes"), 7);
    state->traced = true;
    ASSERT_TRUE(state->save());
  }
  ASSERT_TRUE(open()) << "nothing has changed";
  put("changed again");
  const auto changed = open();
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code(), Errc::usage);
  EXPECT_THAT(changed.error().text(), HasSubstr(input.string() + " changed"));
  auto old = parse_json(*read_text(out / "state.json"));
  ASSERT_TRUE(old);
  old->erase("inputs");
  ASSERT_TRUE(replace_file(out / "state.json", as_bytes(old->dump())));
  EXPECT_TRUE(open()) << "a state of an older version";
}

}  // namespace
}  // namespace weir::study
