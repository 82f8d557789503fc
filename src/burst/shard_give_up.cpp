#include <algorithm>
#include <memory>
#include <set>

#include "burst/shard.hpp"

namespace weir::burst {
namespace {

bool is_wanted(const GiveUp& request, const Place& place) {
  return place.node == request.node &&
         std::ranges::binary_search(request.segments, SegmentKey{place.client, place.segment});
}

bool holds_wanted(const ExtentMap& map, const GiveUp& request) {
  bool found = false;
  map.for_each([&](Span, const Place& place) { found = found || is_wanted(request, place); });
  return found;
}

// Places in the wanted segments whose bytes the backing file has.
std::vector<Extent> flushed_in(const FileState& file, const GiveUp& request) {
  std::vector<Extent> flushed;
  file.published.for_each([&](Span bytes, const Place& place) {
    if (!is_wanted(request, place)) return;
    for (const Piece& piece : file.unflushed.cover(bytes))
      if (!piece.where) flushed.push_back({piece.bytes, place.at(piece.bytes.begin - bytes.begin)});
  });
  return flushed;
}

}  // namespace

void Shard::give_up(const Header& /*header*/, const GiveUp& request, Then<StillNeeded> then) {
  if (!std::ranges::is_sorted(request.segments)) return then({EINVAL, {}});
  if (request.how != Reclaim::all) return then(give_up_now(request));
  std::vector<FileId> files;
  for (const auto& [id, file] : state_.files())
    if (file.named && holds_wanted(file.unflushed, request)) files.push_back(id);
  auto waiting = std::make_shared<std::size_t>(files.size() + 1);
  const auto one = [this, request, waiting, then = std::move(then)](const Outcome<Flushed>& /*outcome*/) {
    // What could not be flushed is still needed; the answer says so.
    if (--*waiting == 0) then(give_up_now(request));
  };
  for (const FileId id : files) flush_file(id, one);
  one({0, {}});
}

Outcome<StillNeeded> Shard::give_up_now(const GiveUp& request) {
  Changes changes;
  if (request.how != Reclaim::unused)
    for (const auto& [id, file] : state_.files())
      if (auto flushed = flushed_in(file, request); !flushed.empty())
        changes.emplace_back(GivenUp{id, std::move(flushed)});
  if (const int error = commit(changes); error != 0) return {error, {}};
  std::set<SegmentKey> needed;
  const auto need = [&](const Place& place) {
    if (is_wanted(request, place)) needed.insert({place.client, place.segment});
  };
  for (const auto& [id, file] : state_.files())
    file.published.for_each([&](Span, const Place& place) { need(place); });
  // Overwritten since, and on their way all the same.
  for (const auto& [id, turn] : flushes_) std::ranges::for_each(turn.places, need);
  return {0, {{needed.begin(), needed.end()}}};
}

}  // namespace weir::burst
