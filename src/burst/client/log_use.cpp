#include <set>

#include "burst/client/file_system.hpp"
#include "burst/segment_store.hpp"

// What a client tells its agent about its log, so that space comes back.
namespace weir::burst {

int FileSystem::ask_for_segment(std::uint32_t number, std::uint64_t bytes, std::string& path,
                                std::uint64_t& size) {
  if (!life_) life_ = hold_life(session_->job().servers[node()], session_->client());
  const std::lock_guard lock(told_mutex_);
  told_ = log_use();
  const auto granted = session_->ask({node(), 0}, GrantSegment{number, bytes, told_});
  path = granted.body.path;
  size = granted.body.bytes;
  return granted.error;
}

bool FileSystem::make_room(std::uint32_t server) {
  tell_log_use();
  const bool may_flush = session_->job().when_full == WhenFull::spill;
  const auto got = session_->ask({server, 0}, AskReclaim{may_flush ? Reclaim::all : Reclaim::flushed});
  return got && got.body.bytes > 0;
}

// Settled is asked first: whoever has written since is in a later segment, and whoever had written before
// is in its file's map by now.
LogUse FileSystem::log_use() {
  LogUse use{log_.settled(), {}};
  std::set<std::uint64_t> needed;
  const std::lock_guard all(mutex_);
  for (const auto& [id, file] : files_) {
    const std::lock_guard lock(file->mutex);
    file->mine.for_each([&](Span, const Place& place) {
      if (place.segment <= use.through) needed.insert(place.segment);
    });
  }
  use.needed.assign(needed.begin(), needed.end());
  return use;
}

void FileSystem::tell_log_use() {
  if (log_.segments() < 2) return;
  // Looking through the maps of many files at the end of each would cost more than it brings.
  constexpr std::size_t kFew = 8;
  {
    const std::lock_guard all(mutex_);
    if (files_.size() > kFew) return;
  }
  log_.settle();
  const std::lock_guard lock(told_mutex_);
  if (told_.through == log_.settled() && told_.needed.empty()) return;
  LogUse use = log_use();
  if (use == told_) return;
  told_ = std::move(use);
  // Lost, it is told again with the next segment.
  static_cast<void>(session_->ask({node(), 0}, told_));
}

}  // namespace weir::burst
