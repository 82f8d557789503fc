#include <map>
#include <memory>

#include "burst/shard.hpp"
#include "burst/write_out.hpp"

namespace weir::burst {
namespace {

// Of one request: a message has a longest length.
constexpr std::size_t kMostExtents = std::size_t{1} << 20;

struct Part {
  std::uint32_t node = 0;
  std::vector<Extent> extents;
};

std::vector<Part> in_parts(const ExtentMap& extents) {
  std::map<std::uint32_t, std::size_t> last;  // part of a node
  std::vector<Part> parts;
  extents.for_each([&](Span bytes, const Place& place) {
    const auto [known, is_new] = last.try_emplace(place.node, parts.size());
    if (is_new || parts[known->second].extents.size() == kMostExtents) {
      known->second = parts.size();
      parts.push_back({place.node, {}});
    }
    parts[known->second].extents.push_back({bytes, place});
  });
  return parts;
}

}  // namespace

void Shard::flush(const Header& /*header*/, const Flush& request, Then<Flushed> then) {
  if (state_.find(request.file) == nullptr) return then({ESTALE, {}});
  flush_file(request.file, std::move(then));
}

// A flush that is under way does not cover what was published after it began: who comes then waits for the
// next one, together with all others.
void Shard::flush_file(FileId id, Then<Flushed> then) {
  const auto [turn, first] = flushes_.try_emplace(id);
  if (!first) return turn->second.next.push_back(std::move(then));
  turn->second.now.push_back(std::move(then));
  start_flush(id);
}

void Shard::start_flush(FileId id) {
  const FileState* const file = state_.find(id);
  // A file without a name goes nowhere; one without bytes must still exist afterwards.
  if (file == nullptr || !file->named) return end_flush(id, {0, {}});
  std::vector<Part> parts = in_parts(file->unflushed);
  std::vector<Place>& places = flushes_[id].places;
  places.clear();
  file->unflushed.for_each([&](Span, const Place& place) { places.push_back(place); });
  if (parts.empty() && !file->in_backing) parts.push_back({self_.server, {}});
  if (parts.empty()) return end_flush(id, {0, {}});

  struct Under {
    std::size_t waiting = 0;
    int error = 0;
    Flushed total;
  };
  auto under = std::make_shared<Under>();
  under->waiting = parts.size();
  for (auto& [node, extents] : parts) {
    const WriteBack request{.path = file->path,
                            .attributes = file->attributes,
                            .in_backing = file->in_backing,
                            .extents = std::move(extents)};
    ports_.send({node, self_.worker}, encode_request({.to_server = node}, request),
                [this, id, under, written = request.extents](const Result<Bytes>& answer) {
                  const auto outcome = decode_answer<Flushed>(answer);
                  if (outcome) {
                    under->total.bytes += outcome.body.bytes;
                    int error = put_other_names(id);
                    if (error == 0) error = commit({WrittenBack{id, written}});
                    if (error != 0) under->error = error;
                  } else if (under->error == 0) {
                    under->error = outcome.error;
                  }
                  if (--under->waiting == 0) end_flush(id, {under->error, under->total});
                });
  }
}

// What has no file in the backing directory has no name there either, until now.
int Shard::put_other_names(FileId id) const {
  const FileState* const file = state_.find(id);
  if (file == nullptr || file->in_backing) return 0;
  return put_links(backing_, file->path, file->other_names);
}

void Shard::end_flush(FileId id, Outcome<Flushed> outcome) {
  bytes_flushed_ += outcome.body.bytes;
  const auto turn = flushes_.find(id);
  auto finished = std::move(turn->second.now);
  turn->second.now = std::move(turn->second.next);
  turn->second.next.clear();
  const bool again = !turn->second.now.empty();
  if (!again) flushes_.erase(turn);
  for (const auto& then : finished) then(outcome);
  if (again) start_flush(id);
}

void Shard::flush_all(std::function<void(Outcome<Flushed>)> done) {
  struct Under {
    std::size_t waiting = 1;
    Outcome<Flushed> total{0, {}};
  };
  auto under = std::make_shared<Under>();
  const auto one = [under, done = std::move(done)](const Outcome<Flushed>& outcome) {
    under->total.body.bytes += outcome.body.bytes;
    if (under->total.error == 0) under->total.error = outcome.error;
    if (--under->waiting == 0) done(under->total);
  };
  std::vector<FileId> ids;
  for (const auto& [id, file] : state_.files())
    if (file.named) ids.push_back(id);
  under->waiting += ids.size();
  for (const FileId id : ids) flush_file(id, one);
  one({0, {}});
}

}  // namespace weir::burst
