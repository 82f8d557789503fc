#include "burst/lock_flusher.hpp"

#include <cerrno>
#include <memory>
#include <utility>

#include "burst/extent_map.hpp"

namespace weir::burst {
namespace {

using namespace std::chrono_literals;

// In one message.
constexpr std::size_t kMost = std::size_t{1} << 16;
constexpr auto kPause = 20ms;

}  // namespace

void LockFlusher::flush(FileId file, std::function<void()> done) {
  if (!seats_.begun()) return done();
  Turn& turn = turns_[file];
  if (turn.under_way) return turn.next.push_back(std::move(done));
  turn.before = seats_.board().next_ticket(file.value);
  turn.now.push_back(std::move(done));
  go_on(file);
}

void LockFlusher::go_on(FileId file) {
  for (;;) {
    Turn& turn = turns_[file];
    auto taken = seats_.take_dirty(file, turn.before, kMost);
    if (!taken.empty()) {
      turn.under_way = true;
      const LockFlush message = message_of(file, taken);
      return send(file, message, std::move(taken));
    }
    turn.under_way = false;
    auto finished = std::move(turn.now);
    turn.now = std::exchange(turn.next, {});
    const bool again = !turn.now.empty();
    if (again) {
      turn.before = seats_.board().next_ticket(file.value);
      turn.under_way = true;  // what the finished ones begin waits for its own turn
    } else {
      turns_.erase(file);
    }
    for (const auto& done : finished) done();
    if (!again) return;
  }
}

// The newest of each byte: where clients of the node wrote the same, the later ticket counts.
LockFlush LockFlusher::message_of(FileId file, const std::vector<LockSeats::Dirty>& taken) {
  ExtentMap newest;
  for (const auto& [client, place, record] : taken)
    newest.insert({record.begin, record.begin + record.length},
                  {.node = self_.server,
                   .segment = static_cast<std::uint32_t>(record.segment),
                   .client = client,
                   .position = record.position,
                   .version = 0});
  LockFlush message{
      .file = file, .node = self_.server, .epoch = seats_.life(), .number = ++number_, .pieces = {}};
  message.pieces.reserve(newest.size());
  newest.for_each([&](Span bytes, const Place& where) {
    message.pieces.push_back({where.client, {bytes.begin, bytes.size(), where.position, where.segment}});
  });
  return message;
}

void LockFlusher::send(FileId file, const LockFlush& message, std::vector<LockSeats::Dirty> taken) {
  ask(ports_, file.home(), message,
      [this, file, message, taken = std::move(taken)](const Outcome<Nothing>& outcome) mutable {
        // A file that is gone wants nothing more; what is nonsense is nonsense the next time too.
        if (outcome || outcome.error == ESTALE || outcome.error == EINVAL) {
          seats_.retire(taken);
          return go_on(file);
        }
        ports_.after(kPause, [this, file, message, taken = std::move(taken)]() mutable {
          send(file, message, std::move(taken));
        });
      });
}

void LockFlusher::flush_all(std::function<void()> done) {
  const std::vector<FileId> files = seats_.dirty_files();
  auto left = std::make_shared<std::size_t>(files.size() + 1 + turns_.size());
  const auto one = [left, done = std::move(done)] {
    if (--*left == 0) done();
  };
  std::vector<FileId> under_way;
  for (const auto& [file, turn] : turns_) under_way.push_back(file);
  for (const FileId file : under_way) flush(file, one);
  for (const FileId file : files) flush(file, one);
  one();
}

}  // namespace weir::burst
