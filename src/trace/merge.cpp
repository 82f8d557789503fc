#include "trace/merge.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <tuple>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/checksum.hpp"
#include "base/compress.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/version.hpp"
#include "trace/detail/run_facts.hpp"
#include "trace/detail/stream_merger.hpp"
#include "trace/format.hpp"
#include "trace/lane_file.hpp"
#include "trace/tables.hpp"

namespace weir::trace {
namespace {

namespace fs = std::filesystem;
using live::HeaderWord;

struct Lane {
  fs::path path;
  std::uint64_t start_tick = 0;
  std::uint64_t process = 0;
  std::uint64_t number = 0;

  auto key() const { return std::tuple(start_tick, process, number); }
};

Result<std::vector<Lane>> find_lanes(const fs::path& directory, MergeReport& report) {
  std::vector<Lane> lanes;
  std::error_code failed;
  const fs::path folder = directory / live::kFolder;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() != live::kSuffix) continue;
    const auto file = LaneFile::open(entry.path());
    if (!file) {
      report.warnings.push_back(file.error().text());
      ++report.damaged;
      continue;
    }
    if (file->header(HeaderWord::calls) != live::kCallTable)
      return Error{Errc::unsupported, "was recorded by another build of Weir, whose calls have other numbers"}
          .in(entry.path().string())
          .with_remedy("merge it with the weir that traced it");
    lanes.push_back({entry.path(), file->header(HeaderWord::start_tick), file->header(HeaderWord::process),
                     file->header(HeaderWord::lane)});
  }
  if (failed)
    return Error{Errc::not_found, "holds nothing to merge: there is no folder 'live'"}
        .in(directory.string())
        .with_remedy("give the directory that 'weir trace --out' wrote");
  std::sort(lanes.begin(), lanes.end(), [](const Lane& a, const Lane& b) { return a.key() < b.key(); });
  return lanes;
}

// The length of a tick: from the run's own readings, else from the lane that was sealed over the longest
// time.
double tick_length(const MergeOptions& options, const std::vector<Lane>& lanes) {
  constexpr double kLongEnough = 10e6;  // ns: readings are good to some ten
  Calibration::Reading first{};
  Calibration::Reading last{};
  const auto span = [&] { return static_cast<double>((last.monotonic - first.monotonic).count); };
  if (options.readings.size() >= 2) {
    first = options.readings.front();
    last = options.readings.back();
  } else {
    for (const Lane& lane : lanes) {
      const auto file = LaneFile::open(lane.path);
      if (!file) continue;
      const auto at = [&](HeaderWord tick, HeaderWord monotonic) {
        return Calibration::Reading{Tick(file->header(tick)),
                                    Nanoseconds(static_cast<std::int64_t>(file->header(monotonic)))};
      };
      const auto begin = at(HeaderWord::first_tick, HeaderWord::first_monotonic);
      const auto end = at(HeaderWord::last_tick, HeaderWord::last_monotonic);
      if (static_cast<double>((end.monotonic - begin.monotonic).count) > span()) {
        first = begin;
        last = end;
      }
    }
  }
  if (span() >= kLongEnough && last.tick > first.tick)
    return Calibration::between(first, last).nanoseconds_per_tick();
  return Calibration::measure(Nanoseconds(20'000'000)).nanoseconds_per_tick();
}

// How long before its lane began a process was first seen. The lane begins when the first call has ended.
std::int64_t seen_before(const LaneFile& lane, double nanoseconds_per_tick) {
  const std::uint64_t first = lane.header(HeaderWord::first_tick);
  const std::uint64_t start = lane.header(HeaderWord::start_tick);
  if (start > first) return 0;
  const double before = static_cast<double>(first - start) * nanoseconds_per_tick;
  const auto monotonic = static_cast<double>(lane.header(HeaderWord::first_monotonic));
  return before < monotonic ? std::llround(before) : 0;  // a process is not older than the machine's uptime
}

// The process each one came from: the program that ran in it before, else the one that forked it.
void link_parents(std::vector<ProcessInfo>& processes) {
  for (std::size_t i = 0; i < processes.size(); ++i) {
    ProcessInfo& process = processes[i];
    for (std::size_t k = i; k-- > 0 && process.parent < 0;)
      if (processes[k].number == process.number) process.parent = static_cast<std::int64_t>(k);
    for (std::size_t k = i; k-- > 0 && process.parent < 0;)
      if (processes[k].number == process.parent_number) process.parent = static_cast<std::int64_t>(k);
  }
}

// Blocks wait in a file without a name until the tables that come before them are known.
class BlockStore {
 public:
  static Result<BlockStore> create(const fs::path& directory) {
    const int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) return BlockStore(UniqueFd(fd));
    std::string name = (directory / ".blocks-XXXXXX").string();
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named < 0) return Error::from_errno(errno, "cannot write").in(directory.string());
    ::unlink(name.c_str());
    return BlockStore(UniqueFd(named));
  }

  Result<std::uint64_t> append(ByteSpan block) {
    ByteWriter head;
    head.u32(static_cast<std::uint32_t>(Section::block));
    head.u32(0);
    head.u64(block.size());
    head.u64(checksum(block));
    const std::uint64_t at = bytes_;
    if (const auto done = write_all(fd_.get(), head.view()); !done) return done.error();
    if (const auto done = write_all(fd_.get(), block); !done) return done.error();
    bytes_ += head.size() + block.size();
    return at;
  }

  Result<void> copy_to(AtomicFile& file) const {
    std::vector<std::byte> buffer(1 << 20);
    for (std::uint64_t at = 0; at < bytes_;) {
      const ssize_t got = pread(fd_.get(), buffer.data(), buffer.size(), static_cast<off_t>(at));
      if (got <= 0) return Error::from_errno(got < 0 ? errno : EIO, "cannot read back the blocks");
      if (const auto done = file.write({buffer.data(), static_cast<std::size_t>(got)}); !done)
        return done.error();
      at += static_cast<std::uint64_t>(got);
    }
    return {};
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  explicit BlockStore(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
  std::uint64_t bytes_ = 0;
};

void put_section(ByteWriter& out, Section type, ByteSpan payload) {
  out.u32(static_cast<std::uint32_t>(type));
  out.u32(0);
  out.u64(payload.size());
  out.u64(checksum(payload));
  out.bytes(payload);
}

template <class Put>
void put_table(ByteWriter& out, Section type, Put&& put) {
  ByteWriter payload;
  put(payload);
  put_section(out, type, payload.view());
}

Json facts_of(const MergeOptions& options, const detail::MergeContext& context, std::int64_t origin_wall,
              const MergeReport& report) {
  Json facts;
  facts["weir"] = build_facts().version;
  facts["command"] = options.command;
  facts["status"] = options.status;
  facts["timing"] = name(context.timing.mode);
  if (is_bounded(context.timing.mode)) {
    facts["error"] = context.timing.error;
    facts["error_of_function"] = options.error_of_function;
  }
  facts["origin_wall_ns"] = origin_wall;
  facts["origin_monotonic_ns"] = context.origin_monotonic;
  facts["nanoseconds_per_tick"] = context.nanoseconds_per_tick;
  facts["records"] = report.records;
  facts["timing_bytes"] = report.timing_bytes;
  facts["lost_without_lane"] = report.lost_without_lane;
  facts["warnings"] = report.warnings;
  return facts;
}

}  // namespace

Result<MergeReport> merge_run(const fs::path& directory, const MergeOptions& given) {
  MergeOptions options = given;
  detail::read_run_facts(directory, options);
  MergeReport report;
  const auto lanes = find_lanes(directory, report);
  if (!lanes) return lanes.error();
  if (lanes->empty() && report.warnings.empty() && fs::exists(directory / kFileName))
    return Error{Errc::usage, "is merged already"}.in(directory.string());

  auto store = BlockStore::create(directory);
  if (!store) return store.error();
  detail::MergeContext context;
  context.timing = options.timing;
  context.write_block = [&](ByteSpan block) { return store->append(block); };
  if (!options.error_of_function.empty())
    context.error_of = [&](const Function& function) {
      const auto found = options.error_of_function.find(function.name);
      return found == options.error_of_function.end() ? 0.0 : found->second;
    };
  context.nanoseconds_per_tick = tick_length(options, *lanes);

  std::int64_t origin_wall = 0;
  std::uint64_t all_bytes = 0;
  bool timed = false;
  for (const Lane& lane : *lanes) {
    const auto file = LaneFile::open(lane.path);
    if (!file) continue;
    all_bytes += file->file_bytes();
    timed = timed || file->timed();
    const std::int64_t before = seen_before(*file, context.nanoseconds_per_tick);
    const std::int64_t monotonic =
        static_cast<std::int64_t>(file->header(HeaderWord::first_monotonic)) - before;
    if (context.origin_monotonic == 0 || monotonic < context.origin_monotonic) {
      context.origin_monotonic = monotonic;
      origin_wall = static_cast<std::int64_t>(file->header(HeaderWord::first_wall)) - before;
    }
  }
  if (!timed) context.timing.mode = TimingMode::off;

  std::vector<ProcessInfo> processes;
  std::uint64_t done_bytes = 0;
  const Lane* before = nullptr;
  for (const Lane& lane : *lanes) {
    auto file = LaneFile::open(lane.path);
    if (!file) return file.error();
    if (before == nullptr || before->start_tick != lane.start_tick || before->process != lane.process) {
      ProcessInfo process;
      process.number = static_cast<std::int64_t>(lane.process);
      process.parent_number = static_cast<std::int64_t>(file->header(HeaderWord::parent));
      process.start_ns = static_cast<std::int64_t>(file->header(HeaderWord::first_monotonic)) -
                         seen_before(*file, context.nanoseconds_per_tick) - context.origin_monotonic;
      processes.push_back(std::move(process));
    }
    before = &lane;
    detail::StreamMerger merger(context, processes.back(), *file);
    std::uint64_t unreadable = 0;
    for (;;) {
      const auto words = file->next();
      if (words && words->empty()) break;
      const Result<void> taken = words ? merger.take(*words) : Result<void>(words.error());
      if (taken) continue;
      // Later frames build on this one: what was read so far is kept, the rest cannot be.
      report.warnings.push_back(taken.error().in(lane.path.filename().string()).text());
      ++unreadable;
      break;
    }
    auto stream = merger.finish();
    if (!stream) return stream.error();
    stream->damaged = unreadable;
    report.damaged += unreadable;
    report.lost += stream->lost;
    report.records += stream->records;
    for (const BlockInfo& block : stream->blocks) report.timing_bytes += block.timing_bytes;
    processes.back().streams.push_back(std::move(*stream));
    ++report.streams;
    done_bytes += file->file_bytes();
    if (options.progress) options.progress(done_bytes, all_bytes);
  }
  report.lost_without_lane = detail::losses_without_lane(directory);
  report.lost += report.lost_without_lane;
  link_parents(processes);
  report.processes = processes.size();

  const Tables& tables = context.tables.tables();
  ByteWriter head;
  head.u64(kFileMagic);
  head.u32(kFormatVersion);
  head.u32(0);
  const std::string facts = facts_of(options, context, origin_wall, report).dump();
  put_section(head, Section::facts, as_bytes(facts));
  put_table(head, Section::functions, [&](ByteWriter& out) { put_functions(out, tables.functions); });
  put_table(head, Section::texts, [&](ByteWriter& out) { put_strings(out, tables.texts); });
  put_table(head, Section::names, [&](ByteWriter& out) { put_strings(out, tables.templates); });
  put_table(head, Section::signatures, [&](ByteWriter& out) { put_signatures(out, tables.signatures); });
  put_table(head, Section::grammars, [&](ByteWriter& out) {
    ByteWriter plain;
    context.grammars.finish().serialize(plain);
    put_packed(out, plain.view(), 9);
  });
  put_table(head, Section::processes, [&](ByteWriter& out) {
    ByteWriter plain;
    put_processes(plain, processes);
    put_packed(out, plain.view(), 9);
  });

  report.file = directory / kFileName;
  auto file = AtomicFile::create(report.file);
  if (!file) return file.error();
  if (const auto done = file->write(head.view()); !done) return done.error().in(report.file.string());
  if (const auto done = store->copy_to(*file); !done) return done.error().in(report.file.string());
  ByteWriter footer;
  footer.u64(head.size() + store->bytes());
  footer.u64(kFooterMagic);
  if (const auto done = file->write(footer.view()); !done) return done.error().in(report.file.string());
  if (const auto done = file->commit(); !done) return done.error();
  report.bytes = head.size() + store->bytes() + footer.size();

  if (!options.keep_live && report.damaged == 0) {
    std::error_code ignored;
    for (const Lane& lane : *lanes) fs::remove(lane.path, ignored);
    for (const std::string_view beside : {live::kLossFile, live::kRunFile})
      fs::remove(directory / live::kFolder / beside, ignored);
    fs::remove(directory / live::kFolder, ignored);
  }
  return report;
}

}  // namespace weir::trace
