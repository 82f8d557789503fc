#include "burst/segment_log.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/random.hpp"
#include "base/scratch_dir.hpp"
#include "burst/segment_reader.hpp"

namespace weir::burst {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kClient = 42;

// A directory on tmpfs and one on a disk, as far as the machine has both.
std::vector<fs::path> places(const ScratchDir& scratch) {
  std::vector<fs::path> found{scratch.path()};
  std::error_code error;
  const fs::path shm = "/dev/shm" / scratch.path().filename();
  if (fs::create_directory(shm, error)) found.push_back(shm);
  return found;
}

struct Segments : testing::Test {
  ~Segments() override {
    std::error_code ignored;
    if (folders.size() > 1) fs::remove_all(folders[1], ignored);
  }
  SegmentHeader header() const { return {.job = "j", .node = 3, .number = 0, .client = kClient, .bytes = 0}; }
  SegmentLog::Allocate plain(const fs::path& folder) const {
    return SegmentLog::in_directory(folder, header());
  }

  ScratchDir scratch;
  std::vector<fs::path> folders = places(scratch);
};

Place place_of(std::uint32_t segment, std::uint64_t position) {
  Place place;
  place.client = kClient;
  place.segment = segment;
  place.position = position;
  return place;
}

std::vector<std::byte> random_bytes(Random& random, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

int read_slices(SegmentReader& reader, const LogSlices& slices, std::vector<std::byte>& into) {
  into.clear();
  for (const LogSlice& slice : slices) {
    const std::size_t at = into.size();
    into.resize(at + slice.length);
    if (const int error = reader.read(place_of(slice.segment, slice.position), std::span(into).subspan(at));
        error != 0)
      return error;
  }
  return 0;
}

TEST_F(Segments, HeaderSaysWhatASegmentIs) {
  const SegmentHeader header{.job = "a job", .node = 1, .number = 2, .client = 3, .bytes = 1 << 20};
  const fs::path path = scratch.path() / "s";
  for (const Reserve reserve : {Reserve::now, Reserve::lazily}) {
    ASSERT_EQ(create_segment(path, header, reserve), 0);
    EXPECT_EQ(fs::file_size(path), header.bytes);
    EXPECT_EQ(*read_segment_header(path), header);
    EXPECT_EQ(create_segment(path, header, reserve), EEXIST);
    fs::remove(path);
  }
  auto page = encode_segment_header(header);
  EXPECT_FALSE(decode_segment_header(ByteSpan(page).first(100)));
  for (const std::size_t at : {0u, 9u, 30u, 45u, 2000u, 4095u}) {
    page[at] ^= std::byte{4};
    EXPECT_FALSE(decode_segment_header(page)) << at;
    page[at] ^= std::byte{4};
  }
  EXPECT_TRUE(decode_segment_header(page));
}

// The page docs/formats/burst-segment.md shows these bytes.
TEST_F(Segments, HeaderHasTheBytesOfItsFormatPage) {
  const auto page =
      encode_segment_header({.job = "ab", .node = 0, .number = 2, .client = 7, .bytes = 4 << 20});
  const auto hex = [&](std::size_t at, std::size_t count) {
    std::string text;
    for (std::size_t i = at; i < at + count; ++i)
      text += fmt::format("{:02x}", std::to_integer<unsigned>(page[i]));
    return text;
  };
  EXPECT_EQ(hex(0, 48),
            "574549525345474d0100000000000000"
            "02000000000000000700000000000000"
            "00004000000000000261620000000000");
  EXPECT_EQ(hex(4088, 8), "89ed7d31efb5e86b");
}

TEST_F(Segments, MoreThanTheDeviceHasIsRefusedAndLeavesNothing) {
  SegmentHeader header = this->header();
  header.bytes = std::uint64_t{1} << 50;
  for (const Reserve reserve : {Reserve::now, Reserve::lazily})
    for (const fs::path& folder : folders) {
      EXPECT_THAT(create_segment(folder / "s", header, reserve), testing::AnyOf(ENOSPC, EFBIG));
      EXPECT_TRUE(fs::is_empty(folder));
    }
}

TEST_F(Segments, WhatIsAppendedComesBack) {
  for (const fs::path& folder : folders)
    for (const bool maps : {true, false}) {
      SCOPED_TRACE(testing::Message() << folder << " maps " << maps);
      Random random(7);
      SegmentLog log(plain(folder));
      SegmentReader reader({folder}, {.maps = maps});
      for (const std::size_t size : {1u, 4096u, 100u, 4096u, 4096u, 65536u, 3u << 20, 9u << 20, 5u}) {
        const std::vector<std::byte> bytes = random_bytes(random, size);
        LogSlices slices;
        ASSERT_EQ(log.append(bytes, slices), 0);
        std::vector<std::byte> back;
        ASSERT_EQ(read_slices(reader, slices, back), 0);
        EXPECT_EQ(back, bytes);
      }
      EXPECT_GE(log.segments(), 2u);
      for (const auto& entry : fs::directory_iterator(folder)) fs::remove(entry);
    }
}

TEST_F(Segments, PagesAreAlignedOnceTheyAreAHabit) {
  SegmentLog log(plain(folders.back()));
  const std::vector<std::byte> page(4096);
  const auto position_of = [&](std::size_t size) {
    LogSlices slices;
    EXPECT_EQ(log.append(ByteSpan(page).first(size), slices), 0);
    return slices.front().position;
  };
  EXPECT_EQ(position_of(4096), 4096u);
  EXPECT_EQ(position_of(4096), 8192u);
  EXPECT_EQ(position_of(100), 12288u);
  EXPECT_EQ(position_of(4096), 12388u);
  EXPECT_EQ(position_of(4096), 20480u);
  EXPECT_EQ(position_of(4096), 24576u);
}

TEST_F(Segments, SegmentsGrow) {
  std::vector<std::uint64_t> asked;
  const SegmentLog::Allocate make = plain(folders.back());
  SegmentLog log([&](std::uint32_t number, std::uint64_t bytes, std::string& path, std::uint64_t& size) {
    asked.push_back(bytes >> 20);
    return make(number, bytes, path, size);
  });
  LogSlices slices;
  const std::vector<std::byte> bytes(std::size_t{1} << 20);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(log.append(bytes, slices), 0);
  EXPECT_EQ(asked, (std::vector<std::uint64_t>{4, 16, 64, 64}));
}

TEST_F(Segments, ALargeWriteGetsALargeSegment) {
  std::uint64_t asked = 0;
  SegmentLog log([&](std::uint32_t, std::uint64_t bytes, std::string&, std::uint64_t&) {
    asked = bytes;
    return EDQUOT;
  });
  LogSlices slices;
  EXPECT_EQ(log.append(std::vector<std::byte>(std::size_t{20} << 20), slices), EDQUOT);
  EXPECT_EQ(asked, (std::uint64_t{20} << 20) + kSegmentHeader);
  EXPECT_TRUE(slices.empty());
}

TEST_F(Segments, AFullDeviceIsAnErrorAndTheNextSegmentMayLieElsewhere) {
  const SegmentLog::Allocate make = plain(folders.back());
  const SegmentLog::Allocate full = [](std::uint32_t, std::uint64_t, std::string& path, std::uint64_t& size) {
    path = "/dev/full";
    size = 1 << 20;
    return 0;
  };
  const std::vector<std::byte> bytes(10'000, std::byte{7});
  LogSlices slices;
  SegmentLog always_full(full);
  EXPECT_EQ(always_full.append(bytes, slices), ENOSPC);
  EXPECT_TRUE(slices.empty());

  SegmentLog spills([&](std::uint32_t number, std::uint64_t wanted, std::string& path, std::uint64_t& size) {
    return number == 1 ? full(number, wanted, path, size) : make(number, wanted, path, size);
  });
  ASSERT_EQ(spills.append(bytes, slices), 0);
  SegmentReader reader({folders.back()});
  std::vector<std::byte> back;
  ASSERT_EQ(read_slices(reader, slices, back), 0);
  EXPECT_EQ(back, bytes);
}

TEST_F(Segments, ASealedSegmentGetsNothingMore) {
  SegmentLog log(plain(folders.back()));
  LogSlices slices;
  const std::vector<std::byte> bytes(10);
  ASSERT_EQ(log.append(bytes, slices), 0);
  log.seal();
  ASSERT_EQ(log.append(bytes, slices), 0);
  EXPECT_EQ(slices[0].segment, 1u);
  EXPECT_EQ(slices[1].segment, 2u);
}

TEST_F(Segments, ThreadsAppendSideBySide) {
  SegmentLog log(plain(folders.back()));
  SegmentReader reader({folders.back()}, {.kept = 2});
  std::vector<std::thread> threads;
  std::vector<LogSlices> all(4);
  std::atomic<int> wrong = 0;
  for (std::size_t t = 0; t < all.size(); ++t)
    threads.emplace_back([&, t] {
      Random random(t);
      for (int i = 0; i < 200; ++i) {
        const std::vector<std::byte> bytes =
            random_bytes(random, 1 + random.below(random.below(20) == 0 ? 300'000 : 5000));
        LogSlices slices;
        std::vector<std::byte> back;
        if (log.append(bytes, slices) != 0 || read_slices(reader, slices, back) != 0 || back != bytes)
          ++wrong;
        all[t].insert(all[t].end(), slices.begin(), slices.end());
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> by_place;
  for (const auto& slices : all)
    for (const LogSlice& slice : slices)
      EXPECT_TRUE(by_place.emplace(std::pair{slice.segment, slice.position}, slice.length).second);
  for (auto next = by_place.begin(), slice = next++; next != by_place.end(); slice = next++)
    if (slice->first.first == next->first.first) {
      EXPECT_LE(slice->first.second + slice->second, next->first.second);
    }
}

TEST_F(Segments, AGoneSegmentIsAnErrorOfItsOwn) {
  const fs::path& folder = folders.back();
  SegmentLog log(plain(folder));
  LogSlices slices;
  const std::vector<std::byte> bytes(100, std::byte{1});
  ASSERT_EQ(log.append(bytes, slices), 0);
  const Place place = place_of(1, slices[0].position);
  std::vector<std::byte> back(100);
  SegmentReader reader({folder});
  ASSERT_EQ(reader.read(place, back), 0);
  fs::remove(folder / segment_name(kClient, 1));
  EXPECT_EQ(reader.read(place, back), 0);  // who has it may read on
  reader.forget(kClient, 1);
  EXPECT_EQ(reader.read(place, back), ESTALE);
  EXPECT_EQ(SegmentReader({folder / "no", folder}).read(place, back), ESTALE);
}

TEST_F(Segments, PlacesOutsideAndForeignFilesAreErrors) {
  for (const bool maps : {true, false}) {
    const fs::path& folder = folders.back();
    SegmentHeader header = this->header();
    header.number = 1;
    header.bytes = 1 << 20;
    ASSERT_EQ(create_segment(folder / segment_name(kClient, 1), header, Reserve::lazily), 0);
    header.number = 9;
    ASSERT_EQ(create_segment(folder / segment_name(kClient, 2), header, Reserve::lazily), 0);
    std::ofstream(folder / segment_name(kClient, 3)) << std::string(10'000, 'x');
    std::ofstream(folder / segment_name(kClient, 4)) << "short";
    SegmentReader reader({folder}, {.maps = maps});
    std::vector<std::byte> back(100);
    const auto read = [&](std::uint32_t segment, std::uint64_t position) {
      return reader.read(place_of(segment, position), back);
    };
    EXPECT_EQ(read(1, 4096), 0);
    EXPECT_EQ(read(1, (1 << 20) - 100), 0);
    EXPECT_EQ(read(1, (1 << 20) - 99), EIO);
    EXPECT_EQ(read(1, 0), EIO);
    EXPECT_EQ(read(1, ~std::uint64_t{0}), EIO);
    EXPECT_EQ(read(2, 4096), EIO);
    EXPECT_EQ(read(3, 4096), EIO);
    EXPECT_EQ(read(4, 4096), EIO);
    fs::resize_file(folder / segment_name(kClient, 1), 8192);
    reader.forget(kClient, 1);
    EXPECT_EQ(read(1, 4096), EIO);  // cut: a mapping would reach beyond it
    for (const auto& entry : fs::directory_iterator(folder)) fs::remove(entry);
  }
}

long page_faults() {
  rusage use{};
  ::getrusage(RUSAGE_THREAD, &use);
  return use.ru_minflt;
}

TEST_F(Segments, WhatWasTouchedIsReadWithoutFaults) {
  if (folders.size() == 1) GTEST_SKIP() << "no tmpfs: segments are not mapped";
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP()
      << "the sanitizer's shadow of what is copied faults too, as often as the pages that are counted";
#endif
#endif
  const fs::path& folder = folders.back();
  SegmentLog log(plain(folder));
  LogSlices slices;
  ASSERT_EQ(log.append(std::vector<std::byte>(std::size_t{8} << 20, std::byte{7}), slices), 0);
  const auto faults_of = [&](bool touched) {
    SegmentReader reader({folder});
    std::vector<std::byte> back(std::size_t{8} << 20, std::byte{0});
    for (const LogSlice& slice : slices) {
      const Place place = place_of(slice.segment, slice.position);
      // Opens it, so that only pages are compared.
      EXPECT_EQ(reader.read(place, std::span(back).first(1)), 0);
      if (touched) reader.touch(place, slice.length);
    }
    const long before = page_faults();
    std::span<std::byte> rest(back);
    for (const LogSlice& slice : slices) {
      EXPECT_EQ(reader.read(place_of(slice.segment, slice.position), rest.first(slice.length)), 0);
      rest = rest.subspan(slice.length);
    }
    const long faults = page_faults() - before;
    EXPECT_EQ(std::ranges::count(back, std::byte{7}), std::ssize(back));
    return faults;
  };
  const long untouched = faults_of(false);
  EXPECT_GT(untouched, 0);
  EXPECT_LT(faults_of(true), untouched / 4);
}

TEST_F(Segments, TouchingWhatIsNotThereDoesNothing) {
  for (const bool maps : {true, false}) {
    const fs::path& folder = folders.back();
    SegmentHeader header = this->header();
    header.number = 1;
    header.bytes = 1 << 20;
    ASSERT_EQ(create_segment(folder / segment_name(kClient, 1), header, Reserve::lazily), 0);
    SegmentReader reader({folder}, {.maps = maps});
    reader.touch(place_of(1, 4096), 1 << 20);
    reader.touch(place_of(1, 0), 1 << 20);
    reader.touch(place_of(1, ~std::uint64_t{0}), ~std::uint64_t{0});
    reader.touch(place_of(2, 4096), 100);
    EXPECT_EQ(reader.open(), 1u);
    fs::remove(folder / segment_name(kClient, 1));
  }
}

TEST_F(Segments, OnlySoManyStayOpen) {
  SegmentLog log(plain(folders.back()));
  SegmentReader reader({folders.back()}, {.kept = 3});
  LogSlices slices;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(log.append(std::vector<std::byte>(8, static_cast<std::byte>(i)), slices), 0);
    log.seal();
  }
  std::vector<std::byte> back;
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(read_slices(reader, slices, back), 0);
    EXPECT_EQ(back[8 * 9], std::byte{9});
    EXPECT_EQ(reader.open(), 3u);
  }
}

TEST_F(Segments, AForkedChildWritesNothingIntoItsParentsSegments) {
  SegmentLog log(plain(folders.back()));
  LogSlices slices;
  ASSERT_EQ(log.append(as_bytes("parent"), slices), 0);
  const std::string before = *read_text(folders.back() / segment_name(kClient, 1));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    LogSlices none;
    bool refused = log.append(as_bytes("child"), none) == EBADF;
    log.seal();  // nor into a new one: its number would be the parent's next
    refused = refused && log.append(as_bytes("child"), none) == EBADF && none.empty();
    ::_exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(*read_text(folders.back() / segment_name(kClient, 1)) == before);
  EXPECT_FALSE(fs::exists(folders.back() / segment_name(kClient, 2)));
  ASSERT_EQ(log.append(as_bytes("goes on"), slices), 0);
  EXPECT_EQ(slices[1].segment, 1u);
}

TEST_F(Segments, AreSettledOnceTheyGetNothingMoreAndNobodyHoldsThem) {
  SegmentLog log(plain(folders.back()));
  LogSlices slices;
  SegmentLog::Pin pin;
  ASSERT_EQ(log.append(as_bytes("one"), slices, &pin), 0);
  log.settle();
  EXPECT_EQ(log.settled(), 0u);
  log.seal();
  log.settle();
  EXPECT_EQ(log.settled(), 0u);  // what was written is not noted yet
  ASSERT_EQ(log.append(as_bytes("two"), slices), 0);
  log.seal();
  log.settle();
  EXPECT_EQ(log.settled(), 0u);
  pin.reset();
  log.settle();
  EXPECT_EQ(log.settled(), 2u);
}

TEST_F(Segments, RemovedOnesAreLetGoByReaders) {
  SegmentLog log(plain(folders.back()));
  SegmentReader reader({folders.back()});
  LogSlices slices;
  std::vector<std::byte> back;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(log.append(as_bytes("bytes"), slices), 0);
    log.seal();
  }
  ASSERT_EQ(read_slices(reader, {slices.begin(), slices.begin() + 10}, back), 0);
  EXPECT_EQ(reader.open(), 10u);
  for (std::uint32_t i = 1; i <= 10; ++i) fs::remove(folders.back() / segment_name(kClient, i));
  ASSERT_EQ(read_slices(reader, {slices.begin() + 10, slices.end()}, back), 0);
  EXPECT_EQ(reader.open(), 10u);  // the later ones
}

TEST_F(Segments, WhatWasAppendedSurvivesKill9) {
  auto* appended = static_cast<std::atomic<std::uint64_t>*>(
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  auto* last = reinterpret_cast<LogSlice*>(appended + 1);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    SegmentLog log(plain(folders.back()));
    for (std::uint64_t i = 1;; ++i) {
      std::vector<std::byte> bytes(8 * 600);
      for (std::size_t j = 0; j < bytes.size(); j += 8) std::memcpy(&bytes[j], &i, 8);
      LogSlices slices;
      if (log.append(bytes, slices) != 0 || i > 3000) ::_exit(1);
      if (slices.size() == 1) *last = slices.front();
      if (slices.size() == 1) appended->store(i);
    }
  }
  while (appended->load() < 1000) std::this_thread::yield();
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  SegmentReader reader({folders.back()});
  std::vector<std::byte> back;
  ASSERT_EQ(read_slices(reader, {*last}, back), 0);
  std::uint64_t number = 0;
  std::memcpy(&number, back.data(), 8);
  EXPECT_THAT(number, testing::AnyOf(appended->load(), appended->load() + 1));
  for (std::size_t j = 0; j < back.size(); j += 8) EXPECT_EQ(std::memcmp(&back[j], back.data(), 8), 0);
  ::munmap(appended, 4096);
}

}  // namespace
}  // namespace weir::burst
