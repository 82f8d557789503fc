#include "trace/run_clock.hpp"

#include <bit>
#include <cerrno>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/bytes.hpp"
#include "base/checksum.hpp"
#include "base/clock.hpp"
#include "base/file.hpp"
#include "trace/detail/run_lanes.hpp"
#include "trace/detail/stream_merger.hpp"

namespace weir::trace {

namespace fs = std::filesystem;
using live::HeaderWord;

namespace {

constexpr std::uint64_t kMagic = 0x4B434C4352494557;  // "WEIRCLCK"
constexpr std::size_t kBytes = 40;

// By their names, which begin with the tick: no other lane is opened.
std::optional<detail::RunLane> first_lane(const fs::path& directory) {
  std::string first;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory / live::kFolder, failed)) {
    std::string name = entry.path().filename().string();
    if (entry.path().extension() == live::kSuffix && (first.empty() || name < first)) first = std::move(name);
  }
  if (first.empty()) return std::nullopt;
  const fs::path path = directory / live::kFolder / first;
  const auto file = LaneFile::open(path);
  if (!file) return std::nullopt;
  return detail::RunLane{path, file->header(), file->file_bytes()};
}

std::vector<std::byte> bytes_of(const RunClock& clock) {
  ByteWriter out;
  out.u64(kMagic);
  out.f64(clock.nanoseconds_per_tick);
  out.u64(static_cast<std::uint64_t>(clock.origin_monotonic));
  out.u64(static_cast<std::uint64_t>(clock.origin_wall));
  out.u64(checksum(out.view()));
  return std::move(out).take();
}

double tick_length(const LaneHeader& own) {
  const auto now = Calibration::Reading::take();
  const Calibration::Reading began{Tick(own[HeaderWord::first_tick]),
                                   Nanoseconds(static_cast<std::int64_t>(own[HeaderWord::first_monotonic]))};
  if (now.monotonic - began.monotonic >= kFarEnough && now.tick > began.tick)
    return Calibration::between(began, now).nanoseconds_per_tick();
  return Calibration::measure(kFarEnough).nanoseconds_per_tick();
}

}  // namespace

Calibration::Reading take_reading_far_from(const Calibration::Reading& earlier) {
  auto reading = Calibration::Reading::take();
  while (reading.monotonic - earlier.monotonic < kFarEnough) {
    const Nanoseconds left = kFarEnough - (reading.monotonic - earlier.monotonic);
    std::this_thread::sleep_for(std::chrono::nanoseconds(left.count));
    reading = Calibration::Reading::take();
  }
  return reading;
}

std::optional<RunClock> read_run_clock(const fs::path& directory) {
  const fs::path path = directory / live::kFolder / live::kClockFile;
  std::error_code failed;
  if (!fs::exists(path, failed)) return std::nullopt;
  const auto text = read_text(path, kBytes);
  if (!text || text->size() != kBytes) return std::nullopt;
  const ByteSpan bytes = as_bytes(*text);
  ByteReader in(bytes);
  const auto magic = in.u64();
  const auto length = in.f64();
  const auto monotonic = in.u64();
  const auto wall = in.u64();
  const auto sum = in.u64();
  if (*magic != kMagic || *sum != checksum(bytes.first(kBytes - sizeof(std::uint64_t))) || !(*length > 0) ||
      !(*length < 1e6))
    return std::nullopt;
  return RunClock{*length, static_cast<std::int64_t>(*monotonic), static_cast<std::int64_t>(*wall)};
}

Result<RunClock> settle_run_clock(const fs::path& directory, std::uint64_t start_tick,
                                  std::uint64_t process) {
  if (const auto settled = read_run_clock(directory)) return *settled;
  const auto own = detail::find_lanes_of(directory, start_tick, process);
  if (!own) return own.error();
  if (own->empty()) return Error{Errc::not_found, "this process has no lane"}.in(directory.string());
  RunClock clock;
  clock.nanoseconds_per_tick = tick_length(own->front().header);
  const auto first = first_lane(directory);
  const LaneHeader& origin = first ? first->header : own->front().header;
  clock.origin_monotonic = detail::first_seen(origin, clock.nanoseconds_per_tick);
  clock.origin_wall =
      static_cast<std::int64_t>(origin[HeaderWord::first_wall]) -
      (static_cast<std::int64_t>(origin[HeaderWord::first_monotonic]) - clock.origin_monotonic);

  // Two worlds may come to it at once: a link is made by one of them only.
  const fs::path target = directory / live::kFolder / live::kClockFile;
  const fs::path own_file = fmt::format("{}.{}.tmp", target.string(), process);
  const auto fd = open_file(own_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!fd) return fd.error();
  const auto written = write_all(fd->get(), bytes_of(clock));
  const bool linked = written && (::link(own_file.c_str(), target.c_str()) == 0 || errno == EEXIST);
  const int reason = errno;
  ::unlink(own_file.c_str());
  if (!written) return written.error().in(own_file.string());
  if (!linked) return Error::from_errno(reason, "cannot be made").in(target.string());
  const auto settled = read_run_clock(directory);
  if (!settled) return Error{Errc::bad_data, "cannot be read back"}.in(target.string());
  return *settled;
}

}  // namespace weir::trace
