#include "interference/slices.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/scratch_dir.hpp"

namespace weir::interference {
namespace {

using trace::slices::Operation;

constexpr std::int64_t kSlice = 100'000'000;

ProgramSlices program(const char* name, const std::vector<std::uint64_t>& written,
                      std::int64_t first = 1000) {
  ProgramSlices made;
  made.name = name;
  made.slice_ns = kSlice;
  for (std::size_t i = 0; i < written.size(); ++i) {
    trace::ProcessSlice& slice = made.slices.emplace_back();
    slice.begin_ns = (first + static_cast<std::int64_t>(i)) * kSlice;
    slice.counts[0][static_cast<std::size_t>(Operation::write)] = {1, written[i], 5};
    slice.counts[1][static_cast<std::size_t>(Operation::close)] = {written[i] / 10, 0, 5};
  }
  return made;
}

// Four slices of every eight the signal writes, and the probe has a third of what it has else.
TEST(Join, DentsAreInStepWithThePeriodicSignal) {
  std::vector<std::uint64_t> probe, signal;
  for (int i = 0; i < 66; ++i) {
    const bool active = i % 8 < 4;
    probe.push_back(active ? 300 : 900);
    signal.push_back(active ? 5000 : 0);
  }
  const auto joined = join(program("p", probe), program("s", signal), nullptr);
  ASSERT_TRUE(joined) << joined.error().text();
  EXPECT_EQ(joined->metric, Metric::written);
  EXPECT_EQ(joined->active_slices + joined->silent_slices, 64U) << "the first and the last are not whole";
  EXPECT_NEAR(joined->loss.percent, 100.0 * 2 / 3, 1e-9);
  EXPECT_EQ(joined->dents.size(), 9U);
  EXPECT_EQ(joined->dents_in_step, 9U);
  EXPECT_EQ(joined->phases, 9U);
  EXPECT_EQ(joined->phases_with_dent, 9U);
  EXPECT_NEAR(joined->dents[1].depth_percent, 100.0 * 2 / 3, 1e-9);
  EXPECT_EQ(joined->dents[1].end_ns - joined->dents[1].begin_ns, 4 * kSlice);
  EXPECT_EQ(to_json(*joined)["probe"].size(), 64U);
}

TEST(Join, ASignalThatHasNotBegunIsSilent) {
  std::vector<std::uint64_t> probe(30, 900);
  for (int i = 15; i < 25; ++i) probe[static_cast<std::size_t>(i)] = 90;
  const auto joined =
      join(program("p", probe), program("s", std::vector<std::uint64_t>(10, 7), 1015), nullptr);
  ASSERT_TRUE(joined) << joined.error().text();
  EXPECT_EQ(joined->active_slices, 10U);
  EXPECT_NEAR(joined->loss.percent, 90, 1e-9);
}

// What holds the probe up after the signal has ended is a dent, and no active phase has it.
TEST(Join, PhasesWithADentAreCountedByThemselves) {
  std::vector<std::uint64_t> probe(60, 900), signal(60, 0);
  for (std::size_t i = 0; i < 4; ++i) {
    for (const std::size_t at : {std::size_t{5}, std::size_t{15}, std::size_t{25}}) signal[at + i] = 50;
    probe[5 + i] = probe[15 + i] = 100;
  }
  probe[40] = probe[50] = probe[55] = 10;
  const auto joined = join(program("p", probe), program("s", signal), nullptr);
  ASSERT_TRUE(joined) << joined.error().text();
  EXPECT_EQ(joined->phases, 3U);
  EXPECT_EQ(joined->phases_with_dent, 2U);
  EXPECT_EQ(joined->dents.size(), 5U);
  EXPECT_EQ(joined->dents_in_step, 2U);
  EXPECT_EQ(to_json(*joined)["active_phases_with_dent"], 2);
}

TEST(Join, ClosesStandForBytesThatAreNotSeen) {
  ProgramSlices probe = program("p", std::vector<std::uint64_t>(20, 100));
  for (auto& slice : probe.slices) slice.counts[0] = {};
  std::vector<std::uint64_t> signal(20, 0);
  for (std::size_t i = 5; i < 12; ++i) signal[i] = 50;
  const auto joined = join(probe, program("s", signal), nullptr);
  ASSERT_TRUE(joined) << joined.error().text();
  EXPECT_EQ(joined->metric, Metric::closes);
  EXPECT_NEAR(joined->loss.percent, 0, 1e-9);
  EXPECT_TRUE(joined->dents.empty());
}

TEST(Join, TheStoragesOwnSlicesAreLinedUp) {
  std::vector<std::uint64_t> signal(20, 0);
  for (std::size_t i = 5; i < 12; ++i) signal[i] = 50;
  // Slices of the monitors are half as long.
  Json seen = {
      {"slices",
       {{"begin_ns", Json::array()}, {"disk:loop0", {{"write_bytes", Json::array()}}}, {"cpu", {}}}}};
  for (int i = 0; i < 40; ++i) {
    seen["slices"]["begin_ns"].push_back(1000 * kSlice + i * kSlice / 2);
    seen["slices"]["disk:loop0"]["write_bytes"].push_back(i);
  }
  const auto joined = join(program("p", std::vector<std::uint64_t>(20, 100)), program("s", signal), &seen);
  ASSERT_TRUE(joined) << joined.error().text();
  ASSERT_EQ(joined->storage.size(), 18U);
  EXPECT_EQ(joined->storage[0], 2 + 3) << "the second slice of the program";
}

TEST(Join, WhatCannotBeComparedIsSaid) {
  const auto steady = join(program("p", std::vector<std::uint64_t>(20, 9)),
                           program("s", std::vector<std::uint64_t>(20, 9)), nullptr);
  ASSERT_FALSE(steady);
  EXPECT_THAT(steady.error().text(), testing::HasSubstr("too few to compare"));
  ProgramSlices other = program("s", std::vector<std::uint64_t>(20, 9));
  other.slice_ns *= 2;
  const auto uneven = join(program("p", std::vector<std::uint64_t>(20, 9)), other, nullptr);
  ASSERT_FALSE(uneven);
  EXPECT_THAT(uneven.error().text(), testing::HasSubstr("same --slice"));
}

void write_words(const std::filesystem::path& file, const std::vector<std::uint64_t>& words,
                 std::size_t bytes_less = 0) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(words.data()),
            static_cast<std::streamsize>(words.size() * 8 - bytes_less));
}

std::vector<std::uint64_t> words_of(const std::vector<std::pair<std::int64_t, std::uint64_t>>& slices) {
  using namespace trace::slices;
  std::vector<std::uint64_t> words(kHeadWords + slices.size() * kRecordWords);
  words[magic] = kMagic;
  words[version] = kVersion;
  words[slice_ns] = static_cast<std::uint64_t>(kSlice);
  words[used] = slices.size();
  for (std::size_t i = 0; i < slices.size(); ++i) {
    words[kHeadWords + i * kRecordWords] = static_cast<std::uint64_t>(slices[i].first * kSlice);
    words[kHeadWords + i * kRecordWords + place(Layer::posix, Operation::write) + 1] = slices[i].second;
  }
  return words;
}

TEST(ProgramSlices, ProcessesAreSummedAndGapsAreZeros) {
  const ScratchDir scratch;
  write_words(scratch.path() / "a.slices", words_of({{10, 5}, {13, 7}}));
  write_words(scratch.path() / "b.slices", words_of({{11, 1}, {13, 2}}));
  // Cut short while it was written: what is whole counts.
  write_words(scratch.path() / "c.slices", words_of({{14, 4}, {15, 9}}), 8);
  write_words(scratch.path() / "d.slices", {1, 2, 3});
  std::vector<std::string> notes;
  const auto program = read_program_slices(scratch.path(), notes);
  ASSERT_TRUE(program) << program.error().text();
  std::vector<double> written;
  for (const auto& slice : program->slices) written.push_back(value_of(slice, Metric::written));
  EXPECT_THAT(written, testing::ElementsAre(5, 1, 0, 9, 4));
  EXPECT_EQ(program->processes, 3U);
  EXPECT_THAT(notes, testing::ElementsAre(testing::HasSubstr("no file of slices")));
  const ScratchDir empty;
  EXPECT_FALSE(read_program_slices(empty.path(), notes));
}

}  // namespace
}  // namespace weir::interference
