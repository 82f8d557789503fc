#include "capture/settings.hpp"

#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace weir::capture {
namespace {

// Settings as the environment states them; the environment is as before afterwards.
class FromEnvironment : public testing::Test {
 protected:
  void SetUp() override { set(kDirectoryVariable, "/run"); }
  void TearDown() override {
    for (const char* const name :
         {kDirectoryVariable, kTimingVariable, kMemoryVariable, kIncludeVariable, kExcludeVariable})
      ::unsetenv(name);
  }
  static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }
  bool read() { return settings_->read(); }
  bool wants(std::string_view path) const { return settings_->wants(path); }

  std::unique_ptr<Settings> settings_ = std::make_unique<Settings>();
};

TEST_F(FromEnvironment, WithoutADirectoryNothingIsRecorded) {
  ::unsetenv(kDirectoryVariable);
  EXPECT_FALSE(read());
  set(kDirectoryVariable, "");
  EXPECT_FALSE(read());
  set(kDirectoryVariable, "not/absolute");
  EXPECT_FALSE(read());
  set(kDirectoryVariable, "/" + std::string(4096, 'd'));
  EXPECT_FALSE(read()) << "a name that is cut short is another name";
  set(kDirectoryVariable, "/some/where");
  EXPECT_TRUE(read());
  EXPECT_STREQ(settings_->directory(), "/some/where");
}

TEST_F(FromEnvironment, DefaultsAndValues) {
  ASSERT_TRUE(read());
  EXPECT_TRUE(settings_->timed());
  EXPECT_EQ(settings_->memory(), kDefaultMemory);
  EXPECT_FALSE(settings_->filters());
  set(kTimingVariable, "off");
  set(kMemoryVariable, "1048576");
  ASSERT_TRUE(read());
  EXPECT_FALSE(settings_->timed());
  EXPECT_EQ(settings_->memory(), 1048576U);
  set(kTimingVariable, "lossless");
  set(kMemoryVariable, "much");
  settings_ = std::make_unique<Settings>();
  ASSERT_TRUE(read());
  EXPECT_TRUE(settings_->timed());
  EXPECT_EQ(settings_->memory(), kDefaultMemory);
}

TEST_F(FromEnvironment, EverythingIsWantedUnlessSomethingIsSaid) {
  ASSERT_TRUE(read());
  EXPECT_TRUE(wants("/any/thing"));
  EXPECT_TRUE(wants("/"));
}

TEST_F(FromEnvironment, APrefixEndsAtASlash) {
  set(kIncludeVariable, "/scratch");
  ASSERT_TRUE(read());
  EXPECT_TRUE(settings_->filters());
  EXPECT_TRUE(wants("/scratch"));
  EXPECT_TRUE(wants("/scratch/a"));
  EXPECT_FALSE(wants("/scratch2"));
  EXPECT_FALSE(wants("/scratch2/a"));
  EXPECT_FALSE(wants("/scratc"));
  EXPECT_FALSE(wants("/home/scratch"));
}

TEST_F(FromEnvironment, SlashesAtTheEndDoNotMatter) {
  set(kExcludeVariable, "/tmp//:/var/");
  ASSERT_TRUE(read());
  EXPECT_FALSE(wants("/tmp/x"));
  EXPECT_FALSE(wants("/tmp"));
  EXPECT_FALSE(wants("/var/log"));
  EXPECT_TRUE(wants("/variable"));
}

TEST_F(FromEnvironment, TheLongestPrefixDecides) {
  set(kIncludeVariable, "/data:/data/run/keep");
  set(kExcludeVariable, "/data/run");
  ASSERT_TRUE(read());
  EXPECT_TRUE(wants("/data/x"));
  EXPECT_FALSE(wants("/data/run/x"));
  EXPECT_FALSE(wants("/data/run"));
  EXPECT_TRUE(wants("/data/run/keep/x"));
  EXPECT_FALSE(wants("/elsewhere"));
}

TEST_F(FromEnvironment, ExcludedAloneLeavesTheRest) {
  set(kExcludeVariable, "::/proc:/sys:");
  ASSERT_TRUE(read());
  EXPECT_FALSE(wants("/proc/self"));
  EXPECT_TRUE(wants("/processes"));
  EXPECT_TRUE(wants("/home"));
}

TEST_F(FromEnvironment, TheRootIsAPrefixOfAll) {
  set(kIncludeVariable, "/home");
  set(kExcludeVariable, "/");
  ASSERT_TRUE(read());
  EXPECT_TRUE(wants("/home/a"));
  EXPECT_FALSE(wants("/etc"));
  set(kExcludeVariable, "/home");
  settings_ = std::make_unique<Settings>();
  ASSERT_TRUE(read());
  EXPECT_TRUE(wants("/home/a")) << "named in both: it was asked for";
}

}  // namespace
}  // namespace weir::capture
