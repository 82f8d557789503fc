#include "trace/merge.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/compress.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/parallel.hpp"
#include "base/version.hpp"
#include "trace/detail/finish.hpp"
#include "trace/detail/piece_store.hpp"
#include "trace/detail/process_merger.hpp"
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
  std::sort(report.warnings.begin(), report.warnings.end());
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

Json facts_of(const MergeOptions& options, const detail::MergeSettings& settings, std::int64_t origin_wall,
              const MergeReport& report) {
  Json facts;
  facts["weir"] = build_facts().version;
  facts["command"] = options.command;
  facts["status"] = options.status;
  facts["timing"] = name(settings.timing.mode);
  if (is_bounded(settings.timing.mode)) {
    facts["error"] = settings.timing.error;
    facts["error_of_function"] = options.error_of_function;
  }
  facts["origin_wall_ns"] = origin_wall;
  facts["origin_monotonic_ns"] = settings.origin_monotonic;
  facts["nanoseconds_per_tick"] = settings.nanoseconds_per_tick;
  facts["records"] = report.records;
  facts["timing_bytes"] = report.timing_bytes;
  facts["lost_without_lane"] = report.lost_without_lane;
  facts["warnings"] = report.warnings;
  return facts;
}

// The lanes of one process, which stand together.
std::vector<std::span<const Lane>> by_process(std::span<const Lane> lanes) {
  std::vector<std::span<const Lane>> processes;
  while (!lanes.empty()) {
    std::size_t count = 1;
    while (count < lanes.size() && lanes[count].start_tick == lanes[0].start_tick &&
           lanes[count].process == lanes[0].process)
      ++count;
    processes.push_back(lanes.first(count));
    lanes = lanes.subspan(count);
  }
  return processes;
}

Result<detail::Partial> merge_process(const detail::MergeSettings& settings, std::span<const Lane> lanes,
                                      const std::function<void(std::uint64_t)>& advance) {
  std::optional<detail::ProcessMerger> merger;
  for (const Lane& lane : lanes) {
    auto file = LaneFile::open(lane.path);
    if (!file) return file.error();
    if (!merger) merger.emplace(settings, lane.start_tick, *file);
    if (const auto added = merger->add(*file, lane.path.filename().string()); !added) return added.error();
    advance(file->file_bytes());
  }
  return merger->finish();
}

// Processes are merged side by side; what they have in common is found in pairs of them.
Result<detail::Finished> merge_lanes(const detail::MergeSettings& settings, const std::vector<Lane>& lanes,
                                     unsigned threads, const std::function<void(std::uint64_t)>& advance) {
  const auto processes = by_process(lanes);
  detail::PairwiseJoin joined;
  std::mutex lock;
  std::map<std::size_t, Error> failures;
  parallel_for(
      processes.size(),
      [&](std::size_t i) {
        auto merged = merge_process(settings, processes[i], [&](std::uint64_t bytes) {
          const std::lock_guard guard(lock);
          advance(bytes);
        });
        if (merged) return joined.add(std::move(*merged));
        const std::lock_guard guard(lock);
        failures.emplace(i, merged.error());
      },
      threads);
  if (!failures.empty()) return failures.begin()->second;
  return finish(joined.finish());
}

// Numbers the pieces in the order in which they are written; which of the store's they are.
std::vector<std::uint32_t> order_pieces(const detail::PieceStore& store, ProcessTable& table) {
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> order;
  std::uint64_t offset = 0;
  for (ProcessInfo& process : table.processes)
    for (StreamInfo& stream : process.streams)
      for (BlockInfo& block : stream.blocks)
        for (std::uint32_t* const piece : {&block.state, &block.block, &block.timing}) {
          if (*piece == BlockInfo::kNoPiece) continue;
          const auto [found, fresh] = numbers.try_emplace(*piece, static_cast<std::uint32_t>(order.size()));
          if (fresh) {
            const Piece& stored = store.piece(*piece);
            table.pieces.push_back({stored.type, offset, stored.bytes});
            offset += kSectionHeaderBytes + stored.bytes;
            order.push_back(*piece);
          }
          *piece = found->second;
        }
  return order;
}

void add_up(const ProcessTable& table, MergeReport& report) {
  report.processes = table.processes.size();
  for (const ProcessInfo& process : table.processes) {
    report.streams += process.streams.size();
    for (const StreamInfo& stream : process.streams) {
      report.records += stream.records;
      report.lost += stream.lost;
      report.damaged += stream.damaged;
    }
  }
  for (const Piece& piece : table.pieces)
    if (piece.type == Section::timing) report.timing_bytes += kSectionHeaderBytes + piece.bytes;
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

  const auto store = detail::PieceStore::create(directory);
  if (!store) return store.error();
  detail::MergeSettings settings;
  settings.timing = options.timing;
  settings.add_piece = [&](Section type, ByteSpan payload) { return (*store)->add(type, payload); };
  if (!options.error_of_function.empty())
    settings.error_of = [&](const Function& function) {
      const auto found = options.error_of_function.find(function.name);
      return found == options.error_of_function.end() ? 0.0 : found->second;
    };
  settings.nanoseconds_per_tick = tick_length(options, *lanes);

  std::int64_t origin_wall = 0;
  std::uint64_t all_bytes = 0;
  bool timed = false;
  for (const Lane& lane : *lanes) {
    const auto file = LaneFile::open(lane.path);
    if (!file) continue;
    all_bytes += file->file_bytes();
    timed = timed || file->timed();
    const std::int64_t seen = detail::first_seen(*file, settings.nanoseconds_per_tick);
    if (settings.origin_monotonic == 0 || seen < settings.origin_monotonic) {
      settings.origin_monotonic = seen;
      origin_wall = static_cast<std::int64_t>(file->header(HeaderWord::first_wall)) -
                    (static_cast<std::int64_t>(file->header(HeaderWord::first_monotonic)) - seen);
    }
  }
  if (!timed) settings.timing.mode = TimingMode::off;

  std::uint64_t done_bytes = 0;
  auto merged = merge_lanes(settings, *lanes, options.threads, [&](std::uint64_t bytes) {
    done_bytes += bytes;
    if (options.progress) options.progress(done_bytes, all_bytes);
  });
  if (!merged) return merged.error();
  ProcessTable table;
  table.processes = std::move(merged->processes);
  const std::vector<std::uint32_t> pieces = order_pieces(**store, table);
  report.warnings.insert(report.warnings.end(), merged->warnings.begin(), merged->warnings.end());
  report.lost_without_lane = detail::losses_without_lane(directory);
  report.lost += report.lost_without_lane;
  add_up(table, report);

  const Tables& tables = merged->tables;
  ByteWriter head;
  head.u64(kFileMagic);
  head.u32(kFormatVersion);
  head.u32(0);
  const std::string facts = facts_of(options, settings, origin_wall, report).dump();
  put_section(head, Section::facts, as_bytes(facts));
  put_table(head, Section::functions, [&](ByteWriter& out) { put_functions(out, tables.functions); });
  put_table(head, Section::texts, [&](ByteWriter& out) { put_strings(out, tables.texts); });
  put_table(head, Section::names, [&](ByteWriter& out) { put_strings(out, tables.templates); });
  put_table(head, Section::signatures, [&](ByteWriter& out) { put_signatures(out, tables.signatures); });
  put_table(head, Section::classes, [&](ByteWriter& out) { put_classes(out, merged->classes); });
  put_table(head, Section::grammars, [&](ByteWriter& out) {
    ByteWriter plain;
    merged->grammars.serialize(plain);
    put_packed(out, plain.view(), 9);
  });
  put_table(head, Section::communicators,
            [&](ByteWriter& out) { put_communicators(out, merged->communicators); });
  put_table(head, Section::processes, [&](ByteWriter& out) { put_processes(out, table); });

  report.file = directory / kFileName;
  auto file = AtomicFile::create(report.file);
  if (!file) return file.error();
  if (const auto done = file->write(head.view()); !done) return done.error().in(report.file.string());
  std::uint64_t written = head.size();
  for (const std::uint32_t piece : pieces) {
    if (const auto done = (*store)->copy_to(*file, piece); !done)
      return done.error().in(report.file.string());
    written += kSectionHeaderBytes + (*store)->piece(piece).bytes;
  }
  ByteWriter footer;
  footer.u64(written);
  footer.u64(kFooterMagic);
  if (const auto done = file->write(footer.view()); !done) return done.error().in(report.file.string());
  if (const auto done = file->commit(); !done) return done.error();
  report.bytes = written + footer.size();

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
