#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "burst/lock_ports.hpp"
#include "burst/lock_seats.hpp"

namespace weir::burst {

// Tells owners what the node's clients have written under its tokens. Bytes stay where they are, in the
// clients' logs. One message of a file is under way at a time, so that they are done in order; one that fails
// is sent again until the owner has it.
class LockFlusher {
 public:
  LockFlusher(Home self, LockSeats& seats, LockPorts& ports) : self_(self), seats_(seats), ports_(ports) {}

  // `done` when all that had been written of the file is known to its owner; maybe at once.
  void flush(FileId file, std::function<void()> done);
  void flush_all(std::function<void()> done);

 private:
  struct Turn {
    bool under_way = false;
    std::uint64_t before = 0;  // the ticket up to which `now` waits for
    std::vector<std::function<void()>> now;
    std::vector<std::function<void()>> next;
  };

  void go_on(FileId file);
  void send(FileId file, const LockFlush& message, std::vector<LockSeats::Dirty> taken);
  LockFlush message_of(FileId file, const std::vector<LockSeats::Dirty>& taken);

  Home self_;
  LockSeats& seats_;
  LockPorts& ports_;
  std::unordered_map<FileId, Turn> turns_;
  std::uint64_t number_ = 0;
};

}  // namespace weir::burst
