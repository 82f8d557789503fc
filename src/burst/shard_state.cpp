#include "burst/shard_state.hpp"

#include <algorithm>

namespace weir::burst {
namespace {

constexpr std::uint64_t kEnd = ~std::uint64_t{0};

// Takes out of `map` the bytes of `span` for which `which` holds.
template <class Which>
void erase_where(ExtentMap& map, Span span, Which which) {
  for (const auto& piece : map.cover(span))
    if (piece.where && which(*piece.where)) map.erase(piece.bytes);
}

// Pieces of one publication that follow each other are told together; the version is one for all of them.
// Those that are in the backing file already are published and then written back.
void tell_extents(FileId id, const FileState& file, const std::function<void(const Change&)>& each) {
  constexpr std::size_t kMostPieces = 4096;
  Published run{
      .file = id, .node = 0, .client = 0, .version = 0, .time_ns = file.attributes.modified_ns, .pieces = {}};
  WrittenBack clean{id, {}};
  const auto end_run = [&] {
    if (!run.pieces.empty()) each(run);
    if (!clean.extents.empty()) each(clean);
    run.pieces.clear();
    clean.extents.clear();
  };
  file.published.for_each([&](Span bytes, const Place& place) {
    if (run.node != place.node || run.client != place.client || run.version != place.version ||
        run.pieces.size() == kMostPieces)
      end_run();
    run.node = place.node;
    run.client = place.client;
    run.version = place.version;
    run.pieces.push_back({bytes.begin, bytes.size(), place.position, place.segment});
    for (const auto& piece : file.unflushed.cover(bytes))
      if (!piece.where) clean.extents.push_back({piece.bytes, place});
  });
  end_run();
}

}  // namespace

void ShardState::apply(const Change& change) {
  std::visit([this](const auto& one) { on(one); }, change);
}

const FileState* ShardState::find(FileId file) const {
  const auto found = files_.find(file);
  return found == files_.end() ? nullptr : &found->second;
}

FileId ShardState::find_name(const std::string& path) const {
  const auto found = names_.find(path);
  return found == names_.end() ? FileId{} : found->second;
}

const Bytes* ShardState::answer_of(std::uint64_t client, std::uint64_t sequence) const {
  const auto kept = answers_.find(client);
  if (sequence == 0 || kept == answers_.end()) return nullptr;
  const auto found = std::ranges::find(kept->second, sequence, &std::pair<std::uint64_t, Bytes>::first);
  return found == kept->second.end() ? nullptr : &found->second;
}

void ShardState::on(const FileMade& change) {
  FileState& file = files_[change.file];
  file.path = change.path;
  file.attributes = change.attributes;
  file.in_backing = change.in_backing;
  files_made_ = std::max(files_made_, change.file.count());
}

void ShardState::on(const PathSet& change) {
  const auto file = files_.find(change.file);
  if (file == files_.end()) return;
  file->second.path = change.path;
  file->second.named = change.named;
}

void ShardState::on(const Published& change) {
  const auto found = files_.find(change.file);
  if (found == files_.end()) return;
  FileState& file = found->second;
  file.version = std::max(file.version, change.version);
  std::vector<Extent> extents;
  extents.reserve(change.pieces.size());
  for (const LogPiece& piece : change.pieces) {
    extents.push_back({{piece.begin, piece.begin + piece.length},
                       {.node = change.node,
                        .segment = static_cast<std::uint32_t>(piece.segment),
                        .client = change.client,
                        .position = piece.position,
                        .version = change.version}});
    file.attributes.size = std::max(file.attributes.size, extents.back().bytes.end);
  }
  for (ExtentMap* const map : {&file.published, &file.unflushed}) {
    if (extents.size() > 1 && ExtentMap::in_order(extents))
      map->insert(extents);
    else
      for (const Extent& extent : extents) map->insert(extent.bytes, extent.where);
  }
  if (!change.pieces.empty()) file.attributes.modified_ns = file.attributes.changed_ns = change.time_ns;
}

void ShardState::on(const Withdrawn& change) {
  const auto of_client = [&](const Place& place) { return place.client == change.client; };
  const Span range{change.begin, change.end};
  for (auto& [id, file] : files_) {
    if (change.file && id != change.file) continue;
    erase_where(file.published, range, of_client);
    erase_where(file.unflushed, range, of_client);
    ++file.version;
  }
}

void ShardState::on(const Resized& change) {
  const auto found = files_.find(change.file);
  if (found == files_.end()) return;
  FileState& file = found->second;
  file.published.erase({change.size, kEnd});
  file.unflushed.erase({change.size, kEnd});
  file.attributes.size = change.size;
  file.attributes.modified_ns = file.attributes.changed_ns = change.time_ns;
  file.reserved_end = change.size;
  ++file.version;
}

void ShardState::on(const EndReserved& change) {
  const auto file = files_.find(change.file);
  if (file != files_.end()) file->second.reserved_end = change.end;
}

void ShardState::on(const WrittenBack& change) {
  const auto file = files_.find(change.file);
  if (file == files_.end()) return;
  file->second.in_backing = true;
  for (const Extent& extent : change.extents)
    erase_where(file->second.unflushed, extent.bytes,
                [&](const Place& place) { return place.version == extent.where.version; });
}

void ShardState::on(const GivenUp& change) {
  const auto file = files_.find(change.file);
  if (file == files_.end()) return;
  for (const Extent& extent : change.extents)
    erase_where(file->second.published, extent.bytes,
                [&](const Place& place) { return place.version == extent.where.version; });
}

void ShardState::on(const OpenCount& change) {
  const auto file = files_.find(change.file);
  if (file == files_.end()) return;
  if (change.count == 0)
    file->second.opens.erase(change.client);
  else
    file->second.opens[change.client] = change.count;
}

void ShardState::on(const Answered& change) {
  auto& kept = answers_[change.client];
  kept.emplace_back(change.sequence, change.answer);
  if (kept.size() > kAnswersKept) kept.pop_front();
}

void ShardState::on(const ClientForgotten& change) { answers_.erase(change.client); }

void ShardState::on(const AttributesSet& change) {
  const auto found = files_.find(change.file);
  if (found == files_.end()) return;
  const std::uint64_t size = found->second.attributes.size;
  found->second.attributes = change.attributes;
  found->second.attributes.size = size;
}

void ShardState::on(const NameAdded& change) {
  if (const auto file = files_.find(change.file); file != files_.end())
    file->second.other_names.insert(change.path);
}

void ShardState::on(const NameTaken& change) {
  if (const auto file = files_.find(change.file); file != files_.end())
    file->second.other_names.erase(change.path);
}

void ShardState::snapshot(const std::function<void(const Change&)>& each) const {
  for (const auto& [id, file] : files_) {
    each(FileMade{id, file.path, file.attributes, file.in_backing});
    if (!file.named) each(PathSet{id, file.path, false});
    for (const std::string& name : file.other_names) each(NameAdded{id, name});
    tell_extents(id, file, each);
    each(Resized{id, file.attributes.size, file.attributes.modified_ns});
    // What happened last may have left no bytes; its number is not given again.
    each(Published{.file = id, .node = 0, .client = 0, .version = file.version, .time_ns = 0, .pieces = {}});
    each(AttributesSet{id, file.attributes});  // Published and Resized touch the times
    if (file.reserved_end > 0) each(EndReserved{id, file.reserved_end});
    for (const auto& [client, count] : file.opens) each(OpenCount{id, client, count});
  }
  each(FilesCounted{files_made_});
  for (const auto& [path, file] : names_) each(NamePut{path, file});
  for (const auto& [client, kept] : answers_)
    for (const auto& [sequence, answer] : kept) each(Answered{client, sequence, answer});
}

}  // namespace weir::burst
