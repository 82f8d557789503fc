#include "trace/merge.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <span>
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
#include "trace/detail/run_lanes.hpp"
#include "trace/detail/run_parts.hpp"
#include "trace/detail/stream_merger.hpp"
#include "trace/detail/table_group.hpp"
#include "trace/format.hpp"
#include "trace/lane_file.hpp"
#include "trace/part.hpp"
#include "trace/run_clock.hpp"
#include "trace/tables.hpp"

namespace weir::trace {
namespace {

namespace fs = std::filesystem;
using detail::RunLane;
using live::HeaderWord;

// The length of a tick: from the run's own readings, else from the lane that was sealed over the longest
// time.
double tick_length(const MergeOptions& options, const std::vector<RunLane>& lanes) {
  Calibration::Reading first{};
  Calibration::Reading last{};
  const auto span = [&] { return last.monotonic - first.monotonic; };
  if (options.readings.size() >= 2) {
    first = options.readings.front();
    last = options.readings.back();
  } else {
    for (const RunLane& lane : lanes) {
      const auto at = [&](HeaderWord tick, HeaderWord monotonic) {
        return Calibration::Reading{Tick(lane.header[tick]),
                                    Nanoseconds(static_cast<std::int64_t>(lane.header[monotonic]))};
      };
      const auto begin = at(HeaderWord::first_tick, HeaderWord::first_monotonic);
      const auto end = at(HeaderWord::last_tick, HeaderWord::last_monotonic);
      if (end.monotonic - begin.monotonic > span()) {
        first = begin;
        last = end;
      }
    }
  }
  if (span() >= kFarEnough && last.tick > first.tick)
    return Calibration::between(first, last).nanoseconds_per_tick();
  return Calibration::measure(Nanoseconds(20'000'000)).nanoseconds_per_tick();
}

// As it was settled when a part was merged; else time 0 is when the first process was seen.
RunClock clock_of(const fs::path& directory, const MergeOptions& options, const std::vector<RunLane>& lanes) {
  if (const auto settled = read_run_clock(directory)) return *settled;
  RunClock clock;
  clock.nanoseconds_per_tick = tick_length(options, lanes);
  for (const RunLane& lane : lanes) {
    const std::int64_t seen = detail::first_seen(lane.header, clock.nanoseconds_per_tick);
    if (clock.origin_monotonic != 0 && seen >= clock.origin_monotonic) continue;
    clock.origin_monotonic = seen;
    clock.origin_wall = static_cast<std::int64_t>(lane.header[HeaderWord::first_wall]) -
                        (static_cast<std::int64_t>(lane.header[HeaderWord::first_monotonic]) - seen);
  }
  return clock;
}

void put_section(ByteWriter& out, Section type, ByteSpan payload) {
  out.u32(static_cast<std::uint32_t>(type));
  out.u32(0);
  out.u64(payload.size());
  out.u64(checksum(payload));
  out.bytes(payload);
}

Json facts_of(const MergeOptions& options, TimingMode timing, const RunClock& clock,
              const MergeReport& report) {
  Json facts;
  facts["weir"] = build_facts().version;
  facts["command"] = options.command;
  facts["status"] = options.status;
  if (!options.narrowed.empty()) facts["narrowed"] = options.narrowed;
  facts["timing"] = name(timing);
  if (is_bounded(timing)) {
    facts["error"] = options.timing.error;
    facts["error_of_function"] = options.error_of_function;
  }
  facts["origin_wall_ns"] = clock.origin_wall;
  facts["origin_monotonic_ns"] = clock.origin_monotonic;
  facts["nanoseconds_per_tick"] = clock.nanoseconds_per_tick;
  facts["records"] = report.records;
  facts["timing_bytes"] = report.timing_bytes;
  facts["lost_without_lane"] = report.lost_without_lane;
  facts["warnings"] = report.warnings;
  return facts;
}

// Processes are merged side by side; what they have in common is found in pairs of them.
Result<detail::Finished> merge_lanes(const detail::MergeSettings& settings,
                                     const std::vector<std::span<const RunLane>>& processes,
                                     detail::RunParts parts, unsigned threads,
                                     const std::function<void(std::uint64_t)>& advance) {
  detail::PairwiseJoin joined;
  for (detail::Partial& part : parts.partials) joined.add(std::move(part));
  std::mutex lock;
  std::map<std::size_t, Error> failures;
  parallel_for(
      processes.size(),
      [&](std::size_t i) {
        if (parts.merged.contains({processes[i][0].start_tick(), processes[i][0].process()})) return;
        auto merged = detail::merge_process(settings, processes[i], [&](const LaneFile& lane) {
          const std::lock_guard guard(lock);
          advance(lane.file_bytes());
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
            const Piece stored = store.piece(*piece);
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

struct Table {
  Section type = Section::facts;
  std::vector<std::byte> payload;
};

// Facts stand with the processes: what was called takes the same bytes whenever it is recorded.
void put_grouped(ByteWriter& out, const std::vector<Table>& tables) {
  for (const Section group : {detail::kCallTables, detail::kProcessTables}) {
    detail::TableGroup packed;
    for (const Table& table : tables) {
      const bool of_run = table.type == Section::facts || table.type == Section::communicators ||
                          table.type == Section::processes;
      if (of_run == (group == detail::kProcessTables)) packed.add(table.type, table.payload);
    }
    ByteWriter payload;
    packed.put(payload);
    put_section(out, group, payload.view());
  }
}

ByteWriter head_of(const std::string& facts, const detail::Finished& merged, const ProcessTable& table) {
  std::vector<Table> tables;
  const auto add = [&](Section type, auto&& put) {
    ByteWriter payload;
    put(payload);
    tables.push_back({type, std::move(payload).take()});
  };
  const Tables& of = merged.tables;
  add(Section::facts, [&](ByteWriter& out) { out.bytes(as_bytes(facts)); });
  add(Section::functions, [&](ByteWriter& out) { put_functions(out, of.functions); });
  add(Section::texts, [&](ByteWriter& out) { put_strings(out, of.texts); });
  add(Section::names, [&](ByteWriter& out) { put_strings(out, of.templates); });
  add(Section::signatures, [&](ByteWriter& out) { put_signatures(out, of.signatures); });
  add(Section::classes, [&](ByteWriter& out) { put_classes(out, merged.classes); });
  add(Section::grammars, [&](ByteWriter& out) {
    ByteWriter plain;
    merged.grammars.serialize(plain);
    put_packed(out, plain.view(), 9);
  });
  add(Section::communicators, [&](ByteWriter& out) { put_communicators(out, merged.communicators); });
  add(Section::processes, [&](ByteWriter& out) { put_processes(out, table); });

  std::size_t bytes = 0;
  for (const Table& one : tables) bytes += one.payload.size();
  const bool grouped = bytes <= detail::kMostGroupedBytes;
  ByteWriter head;
  head.u64(kFileMagic);
  head.u32(grouped ? detail::kGroupedVersion : kFormatVersion);
  head.u32(0);
  if (grouped)
    put_grouped(head, tables);
  else
    for (const Table& one : tables) put_section(head, one.type, one.payload);
  return head;
}

// How long the file is.
Result<std::uint64_t> write_trace(const fs::path& path, const ByteWriter& head,
                                  const std::vector<std::uint32_t>& pieces, detail::PieceStore& store) {
  auto file = AtomicFile::create(path);
  if (!file) return file.error();
  if (const auto done = file->write(head.view()); !done) return done.error().in(path.string());
  std::uint64_t written = head.size();
  for (const std::uint32_t piece : pieces) {
    if (const auto done = store.copy_to(*file, piece); !done) return done.error().in(path.string());
    written += kSectionHeaderBytes + store.piece(piece).bytes;
  }
  ByteWriter footer;
  footer.u64(written);
  footer.u64(kFooterMagic);
  if (const auto done = file->write(footer.view()); !done) return done.error().in(path.string());
  if (const auto done = file->commit(); !done) return done.error();
  return written + footer.size();
}

// What the processes left, once it is in the trace.
void remove_live(const fs::path& directory, const std::vector<RunLane>& lanes) {
  std::error_code ignored;
  const fs::path folder = directory / live::kFolder;
  for (const RunLane& lane : lanes) fs::remove(lane.path, ignored);
  std::vector<fs::path> parts;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == live::kPartSuffix || entry.path().extension() == live::kPiecesSuffix ||
        entry.path().extension() == ".tmp")
      parts.push_back(entry.path());
  for (const fs::path& part : parts) fs::remove(part, ignored);
  for (const std::string_view beside : {live::kLossFile, live::kRunFile, live::kClockFile})
    fs::remove(folder / beside, ignored);
  fs::remove(folder, ignored);
}

// With what was merged inside MPI_Finalize, or from the lanes alone.
Result<MergeReport> merge_all(const fs::path& directory, const MergeOptions& options,
                              const std::vector<RunLane>& lanes, MergeReport report, bool with_parts) {
  auto made = detail::PieceStore::create(directory);
  if (!made) return made.error();
  detail::PieceStore& store = **made;
  const RunClock clock = clock_of(directory, options, lanes);
  detail::MergeSettings settings = detail::settings_of(options, clock);
  settings.add_piece = [&](Section type, ByteSpan payload) { return store.add(type, payload); };
  const auto is_timed = [](const RunLane& lane) { return lane.header.timed(); };
  if (std::none_of(lanes.begin(), lanes.end(), is_timed)) settings.timing.mode = TimingMode::off;

  const auto processes = detail::by_process(lanes);
  detail::RunParts parts;
  if (with_parts) parts = detail::take_parts(directory, timing_text(options), clock, processes, store);
  std::uint64_t all_bytes = 0;
  for (const auto& those : processes)
    if (!parts.merged.contains({those[0].start_tick(), those[0].process()}))
      for (const RunLane& lane : those) all_bytes += lane.bytes;
  report.merged_before = parts.merged.size();
  std::uint64_t done_bytes = 0;
  auto merged = merge_lanes(settings, processes, std::move(parts), options.threads, [&](std::uint64_t bytes) {
    done_bytes += bytes;
    if (options.progress) options.progress(done_bytes, all_bytes);
  });
  if (!merged) return merged.error();
  ProcessTable table;
  table.processes = std::move(merged->processes);
  const std::vector<std::uint32_t> pieces = order_pieces(store, table);
  report.warnings.insert(report.warnings.end(), merged->warnings.begin(), merged->warnings.end());
  report.lost_without_lane = detail::losses_without_lane(directory);
  report.lost += report.lost_without_lane;
  add_up(table, report);

  report.file = directory / kFileName;
  const std::string facts = facts_of(options, settings.timing.mode, clock, report).dump();
  const auto written = write_trace(report.file, head_of(facts, *merged, table), pieces, store);
  if (!written) return written.error();
  report.bytes = *written;
  return report;
}

}  // namespace

Result<MergeReport> merge_run(const fs::path& directory, const MergeOptions& given) {
  MergeOptions options = given;
  detail::read_run_facts(directory, options);
  MergeReport report;
  const auto lanes = detail::find_lanes(directory, report.warnings);
  if (!lanes) return lanes.error();
  report.damaged = report.warnings.size();
  if (lanes->empty() && report.warnings.empty() && fs::exists(directory / kFileName))
    return Error{Errc::usage, "is merged already"}.in(directory.string());

  auto merged = merge_all(directory, options, *lanes, report, options.with_parts);
  // The lanes have everything, whatever happened to what was made of them.
  if (!merged && options.with_parts) merged = merge_all(directory, options, *lanes, report, false);
  if (!merged) return merged.error();
  if (!options.keep_live && merged->damaged == 0) remove_live(directory, *lanes);
  return merged;
}

}  // namespace weir::trace
