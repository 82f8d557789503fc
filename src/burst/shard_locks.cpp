#include <algorithm>

#include "burst/shard.hpp"

namespace weir::burst {

// What a node's clients wrote under its tokens. One message after the other comes from each life of an agent:
// what is not newer was done already, and the file may have got other bytes since.
Outcome<Nothing> Shard::lock_flush(const Header& /*header*/, const LockFlush& request, Changes& changes) {
  const FileState* const file = state_.find(request.file);
  if (file == nullptr) return {ESTALE, {}};
  if (request.node >= layout_.servers ||
      !std::ranges::all_of(request.pieces, [](const FlushedPiece& one) { return is_sane(one.piece); }))
    return {EINVAL, {}};
  auto& last = flushed_by_[request.file][request.node];
  const std::pair number{request.epoch, request.number};
  if (number <= last) return {0, {}};

  std::vector<FlushedPiece> pieces = request.pieces;
  std::ranges::stable_sort(pieces, {}, &FlushedPiece::client);
  std::uint64_t version = file->version;
  for (auto one = pieces.begin(); one != pieces.end();) {
    Published published{.file = request.file,
                        .node = request.node,
                        .client = one->client,
                        .version = ++version,
                        .time_ns = ports_.now_ns(),
                        .pieces = {}};
    for (; one != pieces.end() && one->client == published.client; ++one)
      published.pieces.push_back(one->piece);
    changes.emplace_back(std::move(published));
  }
  if (const int error = commit(changes, true); error != 0) return {error, {}};
  changes.clear();
  for (const FlushedPiece& one : pieces) bytes_published_ += one.piece.length;
  last = number;
  return {0, {}};
}

}  // namespace weir::burst
