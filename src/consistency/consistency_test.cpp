#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "consistency/file_system.hpp"
#include "consistency/model_file.hpp"
#include "consistency/policy.hpp"

namespace weir::consistency {
namespace {

using testing::HasSubstr;

bool contains(Operations all, Operations some) { return (all.bits() & some.bits()) == some.bits(); }

TEST(Models, StandFromStrongToWeak) {
  const auto models = built_in_models();
  EXPECT_EQ(list_of_models(), "posix, commit, mpiio, session, eventual");
  for (std::size_t i = 2; i + 1 < models.size(); ++i) {
    // All that publishes or makes seen under a weaker one does so under the stronger one.
    EXPECT_TRUE(contains(models[i - 1].publish, models[i].publish)) << models[i].name;
    EXPECT_TRUE(models[i - 1].see.empty() || contains(models[i - 1].see, models[i].see)) << models[i].name;
  }
  EXPECT_TRUE(find_model("posix")->publishes_writes());
  EXPECT_TRUE(find_model("eventual")->publish.empty());
}

// design.md: commit publishes on fsync, fdatasync, fflush, fclose, close and MPI_File_sync.
TEST(Models, CommitPublishesOnWhatTheDesignSays) {
  const Model& commit = *find_model("commit");
  for (const Operation one : {Operation::fsync, Operation::fdatasync, Operation::fflush, Operation::fclose,
                              Operation::close, Operation::mpi_sync})
    EXPECT_TRUE(commit.publishes_on(one)) << name(one);
  EXPECT_FALSE(commit.publishes_on(Operation::open));
  EXPECT_FALSE(commit.publishes_on(Operation::write));
  EXPECT_TRUE(commit.sees_at_once());
}

TEST(Models, BurstPutsCommitInPlaceOfMpiio) {
  EXPECT_EQ(offered_by_burst(*find_model("mpiio")).name, "commit");
  EXPECT_EQ(offered_by_burst(*find_model("session")).name, "session");
}

TEST(FileSystems, AllHaveABuiltInModelAndAreFoundInAnyCase) {
  for (const FileSystem& one : file_systems()) EXPECT_NE(find_model(one.model.name), nullptr) << one.name;
  ASSERT_NE(find_file_system("UnifyFS"), nullptr);
  EXPECT_TRUE(find_file_system("UnifyFS")->model.publishes_on(Operation::laminate));
  EXPECT_EQ(find_file_system("nfs")->model, *find_model("session"));
  EXPECT_FALSE(find_file_system("burstfs")->model.own_order);
  EXPECT_FALSE(find_file_system("gekkofs")->model.strong_names);
  EXPECT_EQ(find_file_system("ntfs"), nullptr);
}

TEST(ModelFile, ReadsAModelAndStartsFromAnother) {
  const auto own = parse_model(R"(
name = "sitefs"
like = "session"
publish = ["close", "fsync", "MPI_File_sync"]
own_order = false
)",
                               "site.toml");
  ASSERT_TRUE(own) << own.error().text();
  EXPECT_EQ(own->name, "sitefs");
  EXPECT_EQ(own->publish, (Operations{Operation::close, Operation::fsync, Operation::mpi_sync}));
  EXPECT_EQ(own->see, find_model("session")->see);
  EXPECT_FALSE(own->own_order);
  EXPECT_TRUE(own->strong_names);
}

TEST(ModelFile, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(parse_model("name = \"x\"\npublish = [\"flush\"]\n", "m.toml").error().text(),
              testing::AllOf(HasSubstr("m.toml: line 2"), HasSubstr("'flush'"), HasSubstr("fflush")));
  EXPECT_THAT(parse_model("publish = []\n", "m.toml").error().text(), HasSubstr("no 'name'"));
  EXPECT_THAT(parse_model("name = \"x\"\nlike = \"nfs\"\n", "m.toml").error().text(),
              HasSubstr("models are posix"));
  EXPECT_THAT(parse_model("name = \"x\"\npublishes = []\n", "m.toml").error().text(),
              HasSubstr("no 'publishes'"));
  EXPECT_THAT(parse_model("name = \n", "m.toml").error().text(), HasSubstr("line 1"));
  EXPECT_THAT(parse_model("name = \"x\"\nown_order = 1\n", "m.toml").error().text(),
              HasSubstr("true or false"));
}

TEST(Policy, TheFirstRowThatMatchesCounts) {
  FilePolicy policy;
  policy.add("/scratch/run/ckpt_*.dat", "session");
  policy.add("/scratch/*", "commit");
  const auto read = FilePolicy::parse(policy.text(), "run.policy");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->rows(), policy.rows());
  EXPECT_EQ(read->model_of("/scratch/run/ckpt_0001.dat")->name, "session");
  EXPECT_EQ(read->model_of("/scratch/run/deep/x")->name, "commit");
  EXPECT_EQ(read->model_of("/home/x"), nullptr);
}

TEST(Policy, ExactPatternsMatchTheirNameOnly) {
  for (const std::string name : {"/a/b[1]*?.dat", "/a/back\\slash", "/a/ends with blank ", "/a/new\nline"}) {
    FilePolicy policy;
    policy.add(exact_pattern(name), "session");
    const auto read = FilePolicy::parse(policy.text(), "p");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_NE(read->model_of(name), nullptr) << name;
    EXPECT_EQ(read->model_of(name + "x"), nullptr) << name;
  }
  FilePolicy policy;
  policy.add(exact_pattern("/a/b[1].dat"), "session");
  EXPECT_EQ(policy.model_of("/a/b1.dat"), nullptr);
}

TEST(Policy, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(FilePolicy::parse("# x\nstrong *\n", "p").error().text(),
              testing::AllOf(HasSubstr("p: line 2"), HasSubstr("models are")));
  EXPECT_THAT(FilePolicy::parse("commit\n", "p").error().text(), HasSubstr("without a pattern"));
  EXPECT_THAT(FilePolicy::parse("# weir policy 2\ncommit *\n", "p").error().text(),
              HasSubstr("another version"));
}

}  // namespace
}  // namespace weir::consistency
