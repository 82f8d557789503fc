#include "trace/detail/run_parts.hpp"

#include <algorithm>
#include <map>

#include "base/file.hpp"
#include "trace/detail/part_inside.hpp"
#include "trace/format.hpp"
#include "trace/part.hpp"

namespace weir::trace::detail {
namespace {

namespace fs = std::filesystem;
using Key = std::pair<std::uint64_t, std::uint64_t>;

Key key_of(const PartialProcess& process) {
  return {process.start_tick, static_cast<std::uint64_t>(process.info.number)};
}

fs::path pieces_of(const fs::path& directory, const Key& process) {
  return directory / live::kFolder / (name_of_process(process.first, process.second) += live::kPiecesSuffix);
}

// Whether its lanes are as they were, and its pieces are there.
bool still_holds(const fs::path& directory, const PartialProcess& process, std::span<const RunLane> lanes) {
  const auto same = [](const RunLane& lane, const CoveredLane& covered) {
    return covered_by(lane.header) == covered;
  };
  if (!std::equal(lanes.begin(), lanes.end(), process.lanes.begin(), process.lanes.end(), same)) return false;
  std::uint64_t end = 0;
  for (const StoredPiece& piece : process.pieces) {
    std::uint64_t behind = 0;
    if (__builtin_add_overflow(piece.offset, kSectionHeaderBytes + piece.key.bytes, &behind)) return false;
    end = std::max(end, behind);
  }
  std::error_code failed;
  const std::uint64_t there = fs::file_size(pieces_of(directory, key_of(process)), failed);
  return !failed && there >= end;
}

void number_pieces(PartialProcess& process, const fs::path& directory, PieceStore& store) {
  const std::uint32_t source = store.add_source(pieces_of(directory, key_of(process)));
  std::vector<std::uint32_t> numbers;
  for (const StoredPiece& piece : process.pieces) numbers.push_back(store.add(piece, source));
  for (StreamInfo& stream : process.info.streams)
    for (BlockInfo& block : stream.blocks)
      for (std::uint32_t* const piece : {&block.state, &block.block, &block.timing})
        if (*piece != BlockInfo::kNoPiece) *piece = numbers[*piece];
}

}  // namespace

RunParts take_parts(const fs::path& directory, const std::string& timing, const RunClock& clock,
                    std::span<const std::span<const RunLane>> processes, PieceStore& store) {
  std::map<Key, std::span<const RunLane>> lanes;
  for (const auto& those : processes) lanes[{those[0].start_tick(), those[0].process()}] = those;
  std::vector<fs::path> files;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory / live::kFolder, failed))
    if (entry.path().extension() == live::kPartSuffix) files.push_back(entry.path());
  std::sort(files.begin(), files.end());

  RunParts parts;
  for (const fs::path& file : files) {
    const auto text = read_text(file, kMostTableBytes);
    if (!text) continue;
    auto part = RunPart::parse(as_bytes(*text));
    if (!part || part->inside().timing != timing || part->inside().clock != clock) continue;
    Partial& partial = part->inside().partial;
    std::vector<bool> kept;
    for (PartialProcess& process : partial.processes) {
      const auto found = lanes.find(key_of(process));
      const bool holds = found != lanes.end() && still_holds(directory, process, found->second) &&
                         parts.merged.insert(found->first).second;
      kept.push_back(holds);
      if (holds) number_pieces(process, directory, store);
    }
    const bool all = std::find(kept.begin(), kept.end(), false) == kept.end();
    parts.partials.push_back(all ? std::move(partial) : keep_only(std::move(partial), kept));
  }
  return parts;
}

}  // namespace weir::trace::detail
