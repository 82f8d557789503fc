#include <algorithm>
#include <cerrno>

#include "burst/client/file.hpp"
#include "burst/client/file_system.hpp"

// What a file does under tokens: writes go to the ring that the node's agent reads, and what was looked up
// stays good until a token of the file is lost or somebody of this node writes.
namespace weir::burst {

int SharedFile::push_by_token(FileSystem& system, Span bytes) {
  const std::lock_guard turn(publishing);
  std::vector<Extent> extents;
  std::uint64_t writes_before = 0;
  {
    const std::lock_guard lock(mutex);
    mine.for_each_in(bytes, [&](Span own, const Place& where) { extents.push_back({own, where}); });
    writes_before = writes;
  }
  if (extents.empty()) return 0;  // another thread's turn took it along
  std::uint64_t pushed_before = 0;
  if (const int error = system.tokens().write(id, bytes, extents, pushed_before); error != 0) return error;

  const std::lock_guard lock(mutex);
  ++pushes;
  take_out(extents, bytes, writes_before);
  for (File* const open : opens) open->see_pushed(extents, pushed_before);
  return 0;
}

void File::see_pushed(const std::vector<Extent>& newer, std::uint64_t pushed_before) {
  if (!by_token_.looked.empty() && by_token_.marks.pushed == pushed_before) {
    // Nobody of this node wrote between the last look and this: with it, it is whole again.
    by_token_.marks.pushed = pushed_before + 1;
    for (const Extent& extent : newer) by_token_.looked.add({extent.bytes.begin, extent.bytes.end});
  } else if (by_token_.is_used) {
    return;  // the next read looks anew
  }
  seen_.insert(newer);
  seen_size_ = std::max(seen_size_, newer.back().bytes.end);
}

int File::write_by_token(Span bytes) { return shared_->push_by_token(system_, bytes); }

bool File::has_looked(Span bytes) const {
  if (bytes.begin < seen_size_ && !by_token_.looked.covers({bytes.begin, std::min(bytes.end, seen_size_)}))
    return false;
  return bytes.end <= seen_size_ ||
         by_token_.looked.covers({std::max(bytes.begin, seen_size_), kWholeFile.end});
}

// Whole blocks, as tokens are. Where the file ends is known under a token of all that follows; that is asked
// for apart, and only by those who read so far: they may hold the rest against others who wait for it.
Span File::to_look_at(Span bytes, int round) const {
  const std::uint64_t end = kWholeFile.end;
  const std::uint64_t behind =
      bytes.end > end - lock::kBlockSize ? end : lock::blocks_of(0, bytes.end).end * lock::kBlockSize;
  const Span blocks{bytes.begin / lock::kBlockSize * lock::kBlockSize, behind};
  if (bytes.end <= seen_size_ || (round == 0 && bytes.begin <= seen_size_)) return blocks;
  const std::uint64_t last_block = seen_size_ / lock::kBlockSize * lock::kBlockSize;
  constexpr int kPatience = 3;  // somebody writes all the time: once for all
  if (bytes.begin > seen_size_ || round >= kPatience) return {std::min(blocks.begin, last_block), end};
  return by_token_.looked.covers({bytes.begin, behind}) ? Span{behind, end} : blocks;
}

int File::look_by_token(Span bytes, bool anew) {
  for (int round = 0;; ++round) {
    TokenDesk::Marks now;
    if (const int error = system_.tokens().marks(id(), now); error != 0) return error;
    Span asked;
    {
      const std::lock_guard lock(shared_->mutex);
      by_token_.is_used = true;
      if (!anew && by_token_.marks == now && has_looked(bytes)) {
        if (round == 0) system_.tokens().count_local(id());
        return 0;
      }
      if (by_token_.marks != now) by_token_.looked.clear();
      asked = to_look_at(bytes, round);
    }
    const auto answer = system_.tokens().look(id(), asked);
    if (!answer) return answer.error;
    if (answer.body.end < asked.end) return EMSGSIZE;
    TokenDesk::Marks after;
    if (const int error = system_.tokens().marks(id(), after); error != 0) return error;
    const std::lock_guard lock(shared_->mutex);
    // Another thread has looked, or written, since: this answer may lack what it knows.
    if (by_token_.marks.pushed > now.pushed || by_token_.marks.losses > now.losses) continue;
    // What was looked up before goes with this answer, and with the size in it, only if nothing was written
    // meanwhile.
    if (by_token_.marks != now || after != now) by_token_.looked.clear();
    by_token_.marks = now;
    by_token_.looked.add({asked.begin, asked.end});
    seen_.erase(asked);
    seen_.insert(answer.body.extents);
    seen_size_ = answer.body.size;
    in_backing_ = answer.body.in_backing;
    anew = false;
    if (has_looked(bytes)) return 0;
  }
}

int File::hold_whole(std::uint64_t& number) { return system_.tokens().hold_whole(id(), number); }
int File::release_whole(std::uint64_t number) { return system_.tokens().release(id(), number); }

int File::drain_tokens() {
  std::uint64_t pushed = 0;
  {
    const std::lock_guard lock(shared_->mutex);
    pushed = shared_->pushes;
    if (pushed == shared_->drained) return 0;
  }
  if (const int error = system_.tokens().drain(id()); error != 0) return error;
  const std::lock_guard lock(shared_->mutex);
  shared_->drained = std::max(shared_->drained, pushed);
  return 0;
}

int File::lock(Span bytes, lock::Mode mode) {
  return bytes.empty() ? EINVAL : system_.tokens().lock(id(), bytes, mode);
}
int File::unlock(Span bytes) { return bytes.empty() ? 0 : system_.tokens().unlock(id(), bytes); }
int File::unlock_all() { return system_.tokens().unlock_file(id()); }

// Who writes behind the end has a token there, and gives it up for this one.
int FileSystem::look_for_end(FileId file, std::uint64_t size) {
  for (;;) {
    const auto answer = tokens_.look(file, {size, kWholeFile.end});
    if (!answer || answer.body.size >= size) return answer.error;
    size = answer.body.size;
  }
}

}  // namespace weir::burst
