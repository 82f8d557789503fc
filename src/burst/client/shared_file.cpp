#include "burst/client/shared_file.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "burst/client/file.hpp"
#include "burst/client/file_system.hpp"

namespace weir::burst {

SharedFile::Looking::Looking(SharedFile& file) : file_(file) {
  const std::lock_guard lock(file_.mutex);
  ++file_.looking_;
  begin_ = file_.publications_;
}

SharedFile::Looking::~Looking() {
  const std::lock_guard lock(file_.mutex);
  if (--file_.looking_ > 0 || !std::exchange(file_.keeps_some_, false)) return;
  for (Publication& one : file_.recent_) one.extents = {};
}

void SharedFile::note_publication(std::uint64_t version, const std::vector<Extent>& extents) {
  if (looking_ > 0) {
    recent_[publications_ % recent_.size()] = {version, extents};
    keeps_some_ = true;
  }
  ++publications_;
}

void SharedFile::take_out(const std::vector<Extent>& extents, Span bytes, std::uint64_t writes_before) {
  if (writes == writes_before) {
    mine.erase(bytes);
    return;
  }
  for (const Extent& extent : extents)
    for (const Piece& now : mine.cover(extent.bytes))
      if (now.where && *now.where == extent.where.at(now.bytes.begin - extent.bytes.begin))
        mine.erase(now.bytes);
}

int SharedFile::publish(FileSystem& system, Span bytes, bool close) {
  const std::lock_guard turn(publishing);
  const std::size_t most = system.session().job().most_extents;
  for (;;) {
    Attach request{.file = id, .node = system.node(), .close = close, .pieces = {}};
    std::vector<Extent> extents;
    std::uint64_t writes_before = 0;
    bool is_last = true;
    {
      const std::lock_guard lock(mutex);
      mine.for_each_in(bytes, [&](Span own, const Place& where) {
        is_last = extents.size() < most;
        if (!is_last) return false;
        request.pieces.push_back({own.begin, own.size(), where.position, where.segment});
        extents.push_back({own, where});
        return true;
      });
      writes_before = writes;
    }
    request.close = close && is_last;
    if (extents.empty() && !request.close) return 0;
    auto answer = system.session().ask(id.home(), request);
    if (answer.error == ENOSPC && system.make_room(id.home().server))
      answer = system.session().ask(id.home(), request);
    if (!answer) return answer.error;
    if (extents.empty()) return 0;

    system.note_publication();
    const Span published{extents.front().bytes.begin, extents.back().bytes.end};
    const std::lock_guard lock(mutex);
    take_out(extents, published, writes_before);
    // Published or not, they are the process's own: it goes on seeing them in every open of the file.
    for (Extent& extent : extents) extent.where.version = answer.body.version;
    note_publication(answer.body.version, extents);
    for (File* const open : opens) open->see(extents, answer.body.version);
    if (is_last) return 0;
    bytes.begin = published.end;
  }
}

int SharedFile::append(FileSystem& system, std::vector<Extent> pieces, std::uint64_t& begin) {
  const std::lock_guard turn(publishing);
  Append request{.file = id, .node = system.node(), .pieces = {}};
  for (const Extent& piece : pieces)
    request.pieces.push_back(
        {piece.bytes.begin, piece.bytes.size(), piece.where.position, piece.where.segment});
  auto answer = system.session().ask(id.home(), request);
  if (answer.error == ENOSPC && system.make_room(id.home().server))
    answer = system.session().ask(id.home(), request);
  if (!answer) return answer.error;
  begin = answer.body.begin;

  system.note_publication();
  const std::lock_guard lock(mutex);
  for (Extent& piece : pieces) {
    piece.bytes = {piece.bytes.begin + begin, piece.bytes.end + begin};
    piece.where.version = answer.body.version;
  }
  note_publication(answer.body.version, pieces);
  for (File* const open : opens) open->see(pieces, answer.body.version);
  return 0;
}

// Under tokens the owner has to know of what is to end, and nobody else may go on with what he has looked up.
int SharedFile::take_back(FileSystem& system, Span bytes) {
  bool by_token = false;
  {
    const std::lock_guard lock(mutex);
    by_token = std::ranges::any_of(opens, [](const File* open) { return open->policy().holds_to_resize(); });
  }
  std::uint64_t held = 0;
  if (by_token)
    if (const int error = system.tokens().hold_whole(id, held); error != 0) return error;
  const std::lock_guard turn(publishing);
  const int error = system.session().ask(id.home(), Detach{id, bytes.begin, bytes.end}).error;
  const int released = by_token ? system.tokens().release(id, held) : 0;
  if (error != 0) return error;

  const std::lock_guard lock(mutex);
  note_other_change();
  for (File* const open : opens)
    for (const Piece& known : open->seen_.cover(bytes))
      if (known.where && known.where->client == system.session().client()) open->seen_.erase(known.bytes);
  return released;
}

}  // namespace weir::burst
