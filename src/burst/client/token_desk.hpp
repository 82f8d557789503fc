#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

#include "burst/client/session.hpp"
#include "burst/file_protocol.hpp"
#include "burst/lock/dirty_ring.hpp"
#include "burst/lock/token_board.hpp"
#include "burst/lock_protocol.hpp"
#include "burst/shared_memory.hpp"

namespace weir::burst {

// A process's part in the tokens of its node: it writes under those that are on the board and asks its agent
// for others. Any thread may use it. Failures are errno values.
class TokenDesk {
 public:
  explicit TokenDesk(Session& session);
  ~TokenDesk();
  TokenDesk(const TokenDesk&) = delete;
  TokenDesk& operator=(const TokenDesk&) = delete;

  using Marks = lock::TokenBoard::Marks;

  // The bytes, which are in the log already, become the file's: ordered among all writes to it, and found by
  // the agent whatever becomes of this process. `pushed_before`: how many of the node's writes were so.
  int write(FileId file, Span bytes, std::span<const Extent> pieces, std::uint64_t& pushed_before);

  // What was looked up while these were the marks is good as long as they are. An errno when there is no
  // board.
  int marks(FileId file, Marks& marks);
  void count_local(FileId file);
  Outcome<Queried> look(FileId file, Span bytes);
  // What the node's clients wrote of the file is known to its owner.
  int drain(FileId file);

  // Blocks that nobody else uses, or only reads, until they are released. `number` is for release().
  int hold(FileId file, lock::Blocks blocks, lock::Mode mode, std::uint64_t& number);
  // All of the file, and what the node's clients wrote of it is known to its owner.
  int hold_whole(FileId file, std::uint64_t& number);
  int release(FileId file, std::uint64_t number);
  // Those that a program asked for: every one that overlaps.
  int lock(FileId file, Span bytes, lock::Mode mode);
  int unlock(FileId file, Span bytes);
  int unlock_file(FileId file);
  int unlock_all();

 private:
  struct Seat;
  struct Held {
    FileId file;
    std::uint64_t number = 0;
    lock::Token token;
    bool by_program = false;
  };

  Home agent_of(FileId file) const { return {session_.node(), file.home().worker}; }
  // Null, and an errno, when there is none to be had.
  Seat* seat_of(FileId file, int& error);
  Result<std::unique_ptr<Seat>> open_seat(const burst::Seat& granted) const;
  // Where on the board a write announces itself; none became free within the limit: nothing.
  std::optional<std::uint32_t> take_slot(Seat& seat, FileId file);
  // What was asked for with the slot is wanted no longer; it is free when the agent has said so.
  void forget_entry(Seat& seat, FileId file, std::uint32_t slot);
  bool is_held(FileId file, lock::Blocks blocks) const;
  int push(Seat& seat, FileId file, std::span<const Extent> pieces, std::uint64_t ticket);
  template <class Which>
  int release_where(const Which& which);

  Session& session_;
  std::mutex mutex_;                                      // guards seats_
  std::map<std::uint32_t, std::unique_ptr<Seat>> seats_;  // by worker
  mutable std::shared_mutex holds_mutex_;  // guards holds_; shared over a write that needs one of them
  std::vector<Held> holds_;
  std::uint64_t last_hold_ = 0;
};

}  // namespace weir::burst
