#include "burst/shadows.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace weir::burst {
namespace {

constexpr std::uint64_t kEnd = ~std::uint64_t{0};

}  // namespace

const Shadows::Write* Shadows::Shadow::find(const Place& place) const {
  auto at = writes.upper_bound({place.client, place.segment, place.position});
  if (at == writes.begin()) return nullptr;
  --at;
  const auto& [key, write] = *at;
  const bool covers = key.client == place.client && key.segment == place.segment &&
                      place.position - key.position < write.length;
  return covers ? &write : nullptr;
}

void Shadows::Shadow::add(const Extent& extent, bool published) {
  Span rest = extent.bytes;
  std::uint64_t fresh = 0;  // the number of what was not noted, once there is some
  while (!rest.empty()) {
    const Place place = extent.where.at(rest.begin - extent.bytes.begin);
    auto next = writes.upper_bound({place.client, place.segment, place.position});
    if (find(place) != nullptr) {
      auto& [key, write] = *std::prev(next);
      write.published |= published;
      rest.begin += std::min(rest.size(), key.position + write.length - place.position);
      continue;
    }
    std::uint64_t length = rest.size();
    if (next != writes.end() && next->first.client == place.client && next->first.segment == place.segment)
      length = std::min(length, next->first.position - place.position);
    if (fresh == 0) fresh = ++number;
    writes[{place.client, place.segment, place.position}] = {length, fresh, published};
    Place noted = place;
    noted.version = fresh;
    newest.insert({rest.begin, rest.begin + length}, noted);
    rest.begin += length;
  }
}

Shadows::Shadow& Shadows::shadow_of(FileId id, const FileState& file) {
  const auto [at, is_new] = files_.try_emplace(id);
  if (is_new)
    file.published.for_each([&shadow = at->second](Span bytes, const Place& where) {
      shadow.add({bytes, where}, true);
    });
  return at->second;
}

void Shadows::follow(const Change& change) {
  if (files_.empty()) return;
  const auto shadow = [&](FileId file) {
    const auto found = files_.find(file);
    return found == files_.end() ? nullptr : &found->second;
  };
  if (const auto* const published = std::get_if<Published>(&change)) {
    Shadow* const file = shadow(published->file);
    if (file == nullptr) return;
    for (const LogPiece& piece : published->pieces)
      file->add({{piece.begin, piece.begin + piece.length},
                 {.node = published->node,
                  .segment = static_cast<std::uint32_t>(piece.segment),
                  .client = published->client,
                  .position = piece.position}},
                true);
  } else if (const auto* const resized = std::get_if<Resized>(&change)) {
    Shadow* const file = shadow(resized->file);
    if (file == nullptr) return;
    file->newest.erase({resized->size, kEnd});
    file->cut = ++file->number;
  } else if (const auto* const withdrawn = std::get_if<Withdrawn>(&change)) {
    for (auto& [id, file] : files_) {
      if (withdrawn->file && id != withdrawn->file) continue;
      for (const Piece& piece : file.newest.cover({withdrawn->begin, withdrawn->end}))
        if (piece.where && piece.where->client == withdrawn->client) file.newest.erase(piece.bytes);
    }
  } else if (const auto* const gone = std::get_if<FileGone>(&change)) {
    files_.erase(gone->file);
  }
}

void Shadows::note(std::uint64_t client, const NoteWrite& request, const FileState& file) {
  origins_[client] = request.origin;
  Shadow& shadow = shadow_of(request.file, file);
  for (const Extent& extent : request.extents) shadow.add(extent, false);
}

NewestSeen Shadows::newest(const AskNewest& request, const FileState& file) {
  ++verdict_.checked;
  const Shadow& shadow = shadow_of(request.file, file);
  NewestSeen answer{shadow.number, std::max(file.attributes.size, shadow.newest.end()), {}};
  shadow.newest.for_each_in({request.begin, request.end}, [&](Span bytes, const Place& where) {
    answer.extents.push_back({bytes, where});
  });
  return answer;
}

// A write that came while the read was under way may be in it or not.
bool Shadows::is_stale(const Shadow& shadow, const FileState& file, std::uint64_t client, std::uint64_t mark,
                       const Difference& one) {
  if (shadow.cut > mark) return false;
  if (one.saw) {
    const Write* const seen = shadow.find(*one.saw);
    if (seen != nullptr) return seen->number <= mark;
    // An own write whose note is still on its way; or one of before the shadow, good where nobody wrote
    // since.
    return one.saw->client != client && one.newest.has_value();
  }
  if (one.at_end || !one.newest) return one.at_end;
  const Write* const write = shadow.find(*one.newest);
  if (write == nullptr || !write->published) return true;
  // Read from the backing file: by now it has the bytes.
  const auto unflushed = file.unflushed.cover(one.bytes);
  return std::ranges::any_of(unflushed, [](const Piece& piece) { return piece.where.has_value(); });
}

Missing Shadows::missing(const Shadow& shadow, const FileState& file, const Difference& one) {
  if (!one.newest) return Missing::look;
  const Write* const write = shadow.find(*one.newest);
  if (write == nullptr || !write->published) return Missing::publish;
  for (const Piece& piece : file.published.cover(one.bytes)) {
    if (!piece.where) continue;
    const Write* const shown = shadow.find(*piece.where);
    if (shown != nullptr && shown->number < write->number) return Missing::order;
  }
  return Missing::look;
}

Origin Shadows::origin_of(const Place& place) const {
  const auto found = origins_.find(place.client);
  if (found != origins_.end()) return found->second;
  return {.node = place.node};
}

void Shadows::report(std::uint64_t client, const ReportRead& request, const FileState& file) {
  origins_[client] = request.origin;
  const Shadow& shadow = shadow_of(request.file, file);
  const std::size_t rows_before = verdict_.reads.size();
  std::set<RowKey> met;  // in this read
  bool any = false;
  for (const Difference& one : request.differences) {
    if (one.bytes.empty() || !is_stale(shadow, file, client, request.mark, one)) continue;
    any = true;
    const RowKey key{request.file, client, one.newest ? one.newest->client : 0, missing(shadow, file, one)};
    const bool is_first = met.insert(key).second;
    if (const auto known = rows_.find(key); known != rows_.end()) {
      StaleRead& row = verdict_.reads[known->second];
      if (known->second < rows_before)
        row.times += is_first ? 1 : 0;
      else if (row.bytes.end == one.bytes.begin)
        row.bytes.end = one.bytes.end;
      continue;
    }
    if (verdict_.reads.size() == kMostRows) continue;
    rows_.emplace(key, verdict_.reads.size());
    verdict_.reads.push_back({.path = file.path,
                              .bytes = one.bytes,
                              .missing = key.missing,
                              .reader = request.origin,
                              .writer = one.newest ? std::optional(origin_of(*one.newest)) : std::nullopt,
                              .times = 1});
  }
  if (any) ++verdict_.stale;
}

}  // namespace weir::burst
