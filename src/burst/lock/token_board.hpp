#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "burst/lock/message.hpp"

// The tokens a node holds, in memory that all its clients map: an access under a held token costs a client
// one ordered store, for a write one fetch-and-add more, and no message.
//
//   header | sets of kWays entries, by a hash of the file | one ticket counter a set | slots
//
// Only the agent writes entries. A client announces each access in its own slot: blocks, then an odd sequence
// number; it looks at the entry once more, works, and makes the number even. The agent takes an entry away,
// then waits until no slot announces an access to the blocks.
//
// Why that is safe. Storing the odd number (client) and the entry's new version (agent) are sequentially
// consistent, and so are the loads that follow each: of the version (client) and of the slots (agent). In
// their single order either the client's store is before the agent's loads, and the agent waits; or it is
// behind them, then the client's second look is behind the agent's store, sees the new version, and the
// client goes away without having worked. The even number is stored with release and read with acquire: what
// the client did is done when the agent sees it. An entry is published with a release store of its version,
// and read behind an acquire load of it: what the agent did before it published (a flush that came in, a
// grant) is seen by clients. Entry and slot fields are stored with release and loaded with acquire, so a
// reader who sees one of a newer version or access also sees the number that goes with it, and drops what it
// read.
//
// What a client has looked up under a token it may keep as long as the file's marks are the same: `losses`
// counts what was withdrawn, `pushed` the writes that have ended. Both belong to the file's set, as tickets
// do.
//
// The board is bounded. What does not fit is evicted and costs its users a message; it is still held, which
// is why the agent waits for accesses to the blocks, not to an entry.
namespace weir::burst::lock {

class TokenBoard {
 public:
  struct Layout {
    std::uint32_t sets = 512;  // a power of two
    std::uint32_t slots = 1024;
  };
  static constexpr std::uint32_t kWays = 8;

  static std::size_t size_bytes(const Layout& layout);
  // For the agent, on zeroed memory aligned to a cache line. Tickets go on from `first_ticket`: a board that
  // replaces another one continues its order.
  static Result<TokenBoard> create(std::span<std::byte> memory, const Layout& layout,
                                   std::uint64_t first_ticket = 0);
  // For clients, and with take_over() for an agent in a new life.
  static Result<TokenBoard> open(std::span<std::byte> memory);
  // Takes all tokens off; slots stay, for clients may be at work. What an earlier agent entered for a client
  // that does not know of it yet is ended, and it is open. Another life begins: its number.
  std::uint64_t take_over();
  std::uint64_t life() const;  // 1 of a board that was never taken over

  // Of the agent, which is one thread at a time.

  // Nothing is written under tokens any more, or again: clients look before they write, and say that they do
  // (DirtyRing::Pushing).
  void set_closed(bool closed) { header_->closed.store(closed ? 1 : 0); }
  void publish(std::uint64_t file, const Token& token);
  // Nobody begins to use the blocks from now on, or only to read where `keeps_shared`; what an entry has
  // beside them stays.
  void withdraw(std::uint64_t file, Blocks blocks, bool keeps_shared = false);
  // Whether an access is going on; where `keeps_shared`, one to write.
  bool in_use(std::uint64_t file, Blocks blocks, bool keeps_shared = false) const;
  // Waits for that to end; false when the time is over (is the client still alive?).
  bool wait_unused(std::uint64_t file, Blocks blocks, bool keeps_shared,
                   std::chrono::nanoseconds longest) const;
  // Whose accesses those are.
  std::vector<ClientId> users(std::uint64_t file, Blocks blocks, bool keeps_shared = false) const;
  // visit(client, blocks): the run of blocks that each slot's accesses last went over.
  void recent_use(std::uint64_t file, const std::function<void(ClientId, Blocks)>& visit) const;
  // Of all slots: whose accesses are going on, and who has some.
  std::vector<ClientId> all_users() const;
  std::vector<ClientId> clients() const;
  std::vector<std::uint32_t> slots_of(ClientId client) const;
  // Every write of the file whose access has ended by now has a smaller ticket.
  std::uint64_t next_ticket(std::uint64_t file) const;

  std::optional<std::uint32_t> claim_slot(ClientId client);  // not 0; none is left: nothing
  // The client is dead or has gone: its slots are free, its accesses over.
  void clear(ClientId client);
  // Announces an access for a client that waits for this agent's answer, so that it need not race for the
  // token it was just granted. The client takes it, works, and ends it.
  void enter_for(std::uint32_t slot, std::uint64_t file, Blocks blocks, Mode mode);
  // Ends an access that was entered for a client and not taken, because the client did not wait for it. False
  // when the client is at work.
  bool end_untaken(std::uint32_t slot);

  // Of clients: one thread at a time per slot.

  bool is_closed() const { return header_->closed.load() != 0; }
  struct Access {
    std::uint64_t ticket = 0;  // orders the writes of a node to one file; 0 of a read
  };
  // True under a token that covers the blocks until leave(). Nothing else may be entered by this slot
  // meanwhile.
  std::optional<Access> enter(std::uint32_t slot, std::uint64_t file, Blocks blocks, Mode mode);
  void leave(std::uint32_t slot);
  // What the agent entered is this client's: false when it was ended meanwhile.
  bool take(std::uint32_t slot);
  // A write can be found by the agent; before leave(). How many were so before.
  std::uint64_t note_push(std::uint64_t file);
  struct Marks {
    std::uint64_t pushed = 0;
    std::uint64_t losses = 0;
    bool operator==(const Marks&) const = default;
  };
  Marks marks(std::uint64_t file) const;
  // The ticket of a write that was entered by the agent.
  std::uint64_t take_ticket(std::uint64_t file);

 private:
  using Number = std::atomic<std::uint64_t>;
  static_assert(Number::is_always_lock_free && sizeof(Number) == 8);

  struct alignas(64) Header {
    Number magic;
    Number sets;
    Number slots;
    Number claimed;  // no slot from here on has ever been
    Number lives;    // how often it was taken over
    Number closed;
  };
  struct alignas(64) Entry {
    Number version;  // odd while the agent is at it
    Number file;
    Number begin;
    Number end;
    Number mode;  // 0 free, 1 shared, 2 exclusive
    Number turn;  // of the set's first entry: which one is evicted next
  };
  struct alignas(64) Tickets {
    Number next;
    Number pushed;
    Number losses;
  };
  struct alignas(64) Slot {
    Number sequence;  // odd during an access
    Number file;
    Number begin;
    Number end;
    Number mode;       // with kUntaken: the client does not know of it yet
    Number run_begin;  // the accesses before this one, as far as each went on where the last one ended
    Number run_end;
    Number client;
  };

  TokenBoard(std::span<std::byte> memory, const Layout& layout);
  std::uint32_t set_of(std::uint64_t file) const;
  std::span<Entry> entries_of(std::uint64_t file) const { return {entries_ + set_of(file) * kWays, kWays}; }
  std::span<Slot> claimed_slots() const { return {slots_, header_->claimed.load(std::memory_order_acquire)}; }
  static bool serves(const Entry& entry, std::uint64_t file, Blocks blocks, Mode mode);
  static void change(Entry& entry, std::uint64_t file, Blocks blocks, std::uint64_t mode);
  static void announce(Slot& slot, std::uint64_t file, Blocks blocks, std::uint64_t mode);
  template <class Visit>
  bool any_user(std::uint64_t file, Blocks blocks, bool keeps_shared, const Visit& visit) const;

  Layout layout_;
  Header* header_;
  Entry* entries_;
  Tickets* tickets_;
  Slot* slots_;
};

}  // namespace weir::burst::lock
