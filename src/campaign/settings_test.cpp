#include "campaign/settings.hpp"

#include <csignal>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/scratch_dir.hpp"

namespace weir::campaign {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

// A machine of two processors in a directory.
class SettingsOfAMachine : public testing::Test {
 protected:
  SettingsOfAMachine() {
    for (const char* cpu : {"cpu0", "cpu1"}) {
      put(fs::path("sys/devices/system/cpu") / cpu / "cpufreq/scaling_min_freq", "800000\n");
      put(fs::path("sys/devices/system/cpu") / cpu / "cpufreq/scaling_max_freq", "3500000\n");
      put(fs::path("sys/devices/system/cpu") / cpu / "cpufreq/scaling_governor", "powersave\n");
    }
    put("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  }

  void put(const fs::path& file, const char* text) const {
    fs::create_directories((root() / file).parent_path());
    std::ofstream(root() / file) << text;
  }
  std::string get(const fs::path& file) const {
    std::string text = read_text(root() / file).value_or("?");
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }
  fs::path root() const { return scratch_.path(); }
  fs::path journal() const { return scratch_.path() / "runs.db.settings"; }

  const fs::path max0_ = "sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq";
  const fs::path min1_ = "sys/devices/system/cpu/cpu1/cpufreq/scaling_min_freq";
  const fs::path turbo_ = "sys/devices/system/cpu/intel_pstate/no_turbo";

 private:
  ScratchDir scratch_;
};

TEST_F(SettingsOfAMachine, AreSetAndPutBack) {
  {
    Settings settings(root(), root(), journal());
    ASSERT_TRUE(settings.set(Setting::cpu_frequency, "2.4G"));
    ASSERT_TRUE(settings.set(Setting::turbo, "off"));
    EXPECT_THAT(get(max0_), StartsWith("2400000"));  // sysfs replaces; a plain file keeps what is beyond
    EXPECT_THAT(get(min1_), StartsWith("2400000"));
    EXPECT_EQ(get(turbo_), "1");
    EXPECT_TRUE(fs::exists(journal()));
  }
  EXPECT_FALSE(fs::exists(journal()));
  EXPECT_THAT(get(max0_), StartsWith("3500000"));
  EXPECT_THAT(get(min1_), StartsWith("800000"));
  EXPECT_EQ(get(turbo_), "0");
}

TEST_F(SettingsOfAMachine, ComeBackAfterAKill) {
  const pid_t process = ::fork();
  if (process == 0) {
    Settings settings(root(), root(), journal());
    if (!settings.set(Setting::turbo, "off")) ::_exit(1);
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  for (int i = 0; i < 500 && fs::exists(journal()); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(fs::exists(journal()));
  EXPECT_EQ(get(turbo_), "0");
}

TEST_F(SettingsOfAMachine, ComeBackFromTheJournal) {
  put("runs.db.settings", (R"([{"file": ")" + (root() / turbo_).string() + R"(", "value": "1"}])").c_str());
  const auto restored = restore_settings(journal());
  ASSERT_TRUE(restored);
  EXPECT_EQ(*restored, 1);
  EXPECT_EQ(get(turbo_), "1");
  EXPECT_EQ(*restore_settings(journal()), 0) << "nothing is left to do";
}

TEST_F(SettingsOfAMachine, ADamagedJournalIsSaidAndKept) {
  put("runs.db.settings", R"([{"file": 3}])");
  const auto restored = restore_settings(journal());
  ASSERT_FALSE(restored);
  EXPECT_THAT(restored.error().text(), HasSubstr("runs.db.settings"));
  EXPECT_TRUE(fs::exists(journal()));
}

TEST_F(SettingsOfAMachine, WhatIsNotThereIsLacking) {
  Settings settings(root(), root(), journal());
  fs::remove(root() / turbo_);
  const auto turbo = settings.check(Setting::turbo, "off");
  ASSERT_FALSE(turbo);
  EXPECT_EQ(turbo.error().code(), Errc::lacking);
  EXPECT_THAT(turbo.error().text(), HasSubstr("cpufreq/boost"));
  const auto scheduler = settings.check(Setting::io_scheduler, "none");
  ASSERT_FALSE(scheduler);
  EXPECT_EQ(scheduler.error().code(), Errc::lacking);
  EXPECT_FALSE(settings.check(Setting::turbo, "maybe"));
  EXPECT_FALSE(settings.check(Setting::cpu_frequency, "fast"));
  EXPECT_FALSE(fs::exists(journal()));
}

TEST(Settings, HaveNames) {
  for (const std::string& name : setting_names()) EXPECT_TRUE(setting_named(name)) << name;
  EXPECT_FALSE(setting_named("threads"));
}

}  // namespace
}  // namespace weir::campaign
