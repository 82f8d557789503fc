#pragma once

// Accesses of runs made by hand, rebuilt from their traces and told in words.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_dir.hpp"
#include "semantics/accesses.hpp"
#include "trace/made_run_test.hpp"
#include "trace/trace_file.hpp"

namespace weir::semantics {

class Rebuilt : public testing::Test {
 protected:
  std::filesystem::path run() const { return dir_.path() / "run"; }

  // Merges what the lanes left and rebuilds it.
  const Accesses& rebuilt(trace::TimingMode timing = trace::TimingMode::lossless) {
    const auto merged = trace::made::merge(run(), timing);
    EXPECT_TRUE(merged) << merged.error().text();
    auto opened = trace::TraceFile::open(run());
    EXPECT_TRUE(opened) << opened.error().text();
    trace_ = std::make_unique<trace::TraceFile>(*std::move(opened));
    auto made = rebuild({trace_.get()});
    EXPECT_TRUE(made) << made.error().text();
    accesses_ = *std::move(made);
    if (timing == trace::TimingMode::lossless) compare_without_order();
    return accesses_;
  }

  // Who only adds accesses up gets the same ones, in another order.
  void compare_without_order() const {
    std::uint64_t seen = 0;
    RebuildOptions how;
    how.ordered = false;
    how.threads = 1;
    how.also = [&](std::uint32_t, const trace::Record&) { ++seen; };
    const auto made = rebuild({trace_.get()}, how);
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(seen, trace_->records());
    EXPECT_TRUE(made->orders.empty());
    ASSERT_EQ(made->files.size(), accesses_.files.size());
    for (std::size_t i = 0; i < made->files.size(); ++i) {
      EXPECT_EQ(made->files[i].name, accesses_.files[i].name);
      EXPECT_THAT(texts(made->files[i]), testing::UnorderedElementsAreArray(texts(accesses_.files[i])));
      EXPECT_EQ(made->files[i].written_bytes, accesses_.files[i].written_bytes);
    }
  }

  // "w0 0+64" for each access of a file, by time: process 0 wrote 64 bytes at 0. '~' where it takes effect
  // later, '?' where nothing was there to be read; "end0 64" where it relied on the end being there.
  static std::vector<std::string> texts(const File& file) {
    std::vector<std::string> list;
    for (const Access& one : file.accesses) {
      const std::uint32_t process = file.members[one.member].process;
      if (one.relies_on_end()) {
        list.push_back(fmt::format("end{} {}", process, one.begin));
        continue;
      }
      list.push_back(fmt::format("{}{}{}{} {}+{}", one.delayed() ? "~" : "",
                                 (one.flags & Access::kMissed) != 0 ? "?" : "", one.writes() ? "w" : "r",
                                 process, one.begin, one.end - one.begin));
    }
    return list;
  }
  std::vector<std::string> texts(std::string_view name) {
    for (const File& file : rebuilt().files)
      if (file.name == name) return texts(file);
    return {"no such file"};
  }

 private:
  ScratchDir dir_;
  std::unique_ptr<trace::TraceFile> trace_;
  Accesses accesses_;
};

inline void begin(trace::made::Lane& lane, std::uint64_t number) {
  lane.program("/bin/app", "/data", std::string("app\0", 4));
  lane.thread(number);
}

inline trace::made::Part flags(int value) { return trace::made::literal(value); }

}  // namespace weir::semantics
