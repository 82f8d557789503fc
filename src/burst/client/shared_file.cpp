#include "burst/client/shared_file.hpp"

#include "burst/client/file.hpp"
#include "burst/client/file_system.hpp"

namespace weir::burst {

int SharedFile::publish(FileSystem& system, Span bytes, bool close) {
  const std::lock_guard turn(publishing);
  Attach request{
      .file = id, .node = system.node(), .client = system.session().client(), .close = close, .pieces = {}};
  std::vector<Extent> extents;
  std::uint64_t writes_before = 0;
  {
    const std::lock_guard lock(mutex);
    mine.for_each_in(bytes, [&](Span own, const Place& where) {
      request.pieces.push_back({own.begin, own.size(), where.position, where.segment});
      extents.push_back({own, where});
    });
    writes_before = writes;
  }
  if (extents.empty() && !close) return 0;
  const auto answer = system.session().ask(id.home(), request);
  if (!answer) return answer.error;
  if (extents.empty()) return 0;

  const std::lock_guard lock(mutex);
  ++publications;
  if (writes == writes_before) {
    mine.erase(bytes);
  } else {
    // What was written again meanwhile stays unpublished.
    for (const Extent& extent : extents)
      for (const Piece& now : mine.cover(extent.bytes))
        if (now.where && *now.where == extent.where.at(now.bytes.begin - extent.bytes.begin))
          mine.erase(now.bytes);
  }
  // Published or not, they are the process's own: it goes on seeing them in every open of the file.
  for (Extent& extent : extents) extent.where.version = answer.body.version;
  for (File* const open : opens) open->see(extents, answer.body.version);
  return 0;
}

}  // namespace weir::burst
