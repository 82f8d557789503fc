#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "burst/lock/dirty_ring.hpp"
#include "burst/lock/hold_table.hpp"
#include "burst/lock/token_board.hpp"
#include "burst/lock_protocol.hpp"
#include "burst/shared_memory.hpp"

namespace weir::burst {

// The ring in a client's file, which begins with the table of what it holds.
Result<lock::DirtyRing> open_ring_of(std::span<std::byte> seat);
// Whose it is, by the file's name; nothing when it is no client's.
std::optional<std::uint64_t> client_of_ring(std::string_view name);

// What one worker shares with the clients of its node: the board with the tokens, and for each client a ring
// of what it has written under them and a table of what it holds. Files in the node's buffer directory:
// clients go on while the server is away, and the next one finds what they wrote. Made when the first lock is
// asked for.
class LockSeats {
 public:
  LockSeats(std::filesystem::path folder, Layout layout, Home self)
      : folder_(std::move(folder)), layout_(layout), self_(self) {}

  // Takes over what an earlier life left. The board is empty then, but clients may still be at work.
  Result<void> recover();
  Result<void> begin();  // no-op when there is a board
  bool begun() const { return board_.has_value(); }
  lock::TokenBoard& board() { return *board_; }
  std::uint64_t life() const { return board_ ? board_->life() : 1; }

  // Nothing more is written under tokens by those who look now, or again.
  void set_closed(bool closed);
  bool is_closed() const { return closed_; }
  // Whether somebody who lives has looked before and still writes.
  bool anybody_writes() const;

  Outcome<Seat> take(std::uint64_t client);
  bool has(std::uint64_t client) const { return seats_.contains(client); }
  // The client's slots are free and its accesses over, if it is dead: false while it is not.
  bool let_go(std::uint64_t client);
  // Its ring is gone too; when nothing is left in it.
  void remove(std::uint64_t client);
  std::vector<std::uint64_t> clients() const;
  bool owns(std::uint64_t client, std::uint32_t slot) const;

  // A record of somebody's ring.
  struct Dirty {
    std::uint64_t client = 0;
    std::uint64_t place = 0;
    lock::DirtyRecord record;
  };
  // Of this file, written with tickets below `before`, in their order; at most so many of the oldest. They
  // stay where they are until they are retired; meanwhile they are not given again.
  std::vector<Dirty> take_dirty(FileId file, std::uint64_t before, std::size_t most);
  void retire(const std::vector<Dirty>& flushed);
  std::vector<FileId> dirty_files();
  bool is_dirty(std::uint64_t client);

  // What a client has asked to hold; false when it has asked too often, or has no seat.
  bool note_hold(std::uint64_t client, const lock::HoldTable::Hold& hold);
  void drop_hold(std::uint64_t client, std::uint64_t number);
  std::vector<lock::HoldTable::Hold> holds(std::uint64_t client) const;

  std::uint64_t local_accesses() const;  // that clients made without a message, gone ones included

 private:
  struct Client {
    SharedMemory memory;
    lock::HoldTable holds;
    lock::DirtyRing ring;
    std::vector<std::uint32_t> slots;
    std::uint64_t looked = 0;  // places below are in dirty_
    std::uint64_t unretired = 0;
  };

  std::filesystem::path ring_of(std::uint64_t client) const;
  std::filesystem::path board_path() const { return folder_ / "board"; }
  void look();
  bool is_ours(FileId file) const;
  Result<void> open_ring(std::uint64_t client);

  std::filesystem::path folder_;
  Layout layout_;
  Home self_;
  SharedMemory board_memory_;
  std::optional<lock::TokenBoard> board_;
  std::map<std::uint64_t, std::unique_ptr<Client>> seats_;
  std::unordered_map<FileId, std::vector<Dirty>> dirty_;
  std::uint64_t local_of_gone_ = 0;
  bool closed_ = false;
};

}  // namespace weir::burst
