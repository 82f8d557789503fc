#include "burst/lock/token_board.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <thread>

#include <fmt/format.h>

#include "base/check.hpp"

namespace weir::burst::lock {
namespace {

constexpr std::uint64_t kMagic = 0x3144'524f'424e'4b54;  // "TKNBORD1"
constexpr std::uint64_t kFree = 0;
constexpr std::uint64_t kUntaken = 256;  // beside a slot's mode
constexpr auto kOrdered = std::memory_order_seq_cst;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kRelaxed = std::memory_order_relaxed;

std::uint64_t number_of(Mode mode) { return mode == Mode::shared ? 1 : 2; }
Mode mode_of(std::uint64_t number) { return number == 2 ? Mode::exclusive : Mode::shared; }

}  // namespace

std::size_t TokenBoard::size_bytes(const Layout& layout) {
  return sizeof(Header) + layout.sets * (kWays * sizeof(Entry) + sizeof(Tickets)) +
         layout.slots * sizeof(Slot);
}

// Shared memory has no constructor that ran for every process; what is in it are numbers of 8 bytes that are
// atomic wherever the compiler says so, which the static_assert asks.
TokenBoard::TokenBoard(std::span<std::byte> memory, const Layout& layout)
    : layout_(layout), header_(reinterpret_cast<Header*>(memory.data())) {
  entries_ = reinterpret_cast<Entry*>(memory.data() + sizeof(Header));
  tickets_ = reinterpret_cast<Tickets*>(entries_ + std::size_t{layout.sets} * kWays);
  slots_ = reinterpret_cast<Slot*>(tickets_ + layout.sets);
}

Result<TokenBoard> TokenBoard::create(std::span<std::byte> memory, const Layout& layout,
                                      std::uint64_t first_ticket) {
  if (!std::has_single_bit(layout.sets) || layout.slots == 0)
    return Error{Errc::usage, fmt::format("token board of {} sets and {} slots", layout.sets, layout.slots)};
  if (memory.size() < size_bytes(layout) || reinterpret_cast<std::uintptr_t>(memory.data()) % 64 != 0)
    return Error{Errc::usage, fmt::format("a token board needs {} aligned bytes, not {}", size_bytes(layout),
                                          memory.size())};
  TokenBoard board(memory, layout);
  for (std::uint32_t set = 0; set < layout.sets; ++set)
    board.tickets_[set].next.store(first_ticket + 1, kRelaxed);
  board.header_->sets.store(layout.sets, kRelaxed);
  board.header_->slots.store(layout.slots, kRelaxed);
  board.header_->magic.store(kMagic, kRelease);
  return board;
}

Result<TokenBoard> TokenBoard::open(std::span<std::byte> memory) {
  if (memory.size() < sizeof(Header)) return Error{Errc::bad_data, "token board: too short"};
  const auto* header = reinterpret_cast<const Header*>(memory.data());
  if (header->magic.load(kAcquire) != kMagic)
    return Error{Errc::bad_data, "token board: not one, or of another version"};
  const std::uint64_t sets = header->sets.load(kRelaxed);
  const std::uint64_t slots = header->slots.load(kRelaxed);
  constexpr std::uint64_t kMost = 1u << 24;
  if (sets > kMost || slots > kMost || !std::has_single_bit(sets))
    return Error{Errc::bad_data, fmt::format("token board: {} sets, {} slots", sets, slots)};
  const Layout layout{static_cast<std::uint32_t>(sets), static_cast<std::uint32_t>(slots)};
  if (memory.size() < size_bytes(layout) || header->claimed.load(kRelaxed) > slots)
    return Error{Errc::bad_data, "token board: cut"};
  return TokenBoard(memory, layout);
}

std::uint64_t TokenBoard::take_over() {
  for (std::size_t i = 0; i < std::size_t{layout_.sets} * kWays; ++i) change(entries_[i], 0, {}, kFree);
  for (std::uint32_t set = 0; set < layout_.sets; ++set) tickets_[set].losses.fetch_add(1, kOrdered);
  const auto claimed = static_cast<std::uint32_t>(claimed_slots().size());
  for (std::uint32_t slot = 0; slot < claimed; ++slot) end_untaken(slot);
  set_closed(false);
  header_->lives.fetch_add(1, kOrdered);
  return life();
}

std::uint64_t TokenBoard::life() const { return header_->lives.load(kAcquire) + 1; }

std::uint32_t TokenBoard::set_of(std::uint64_t file) const {
  const std::uint64_t mixed = file * 0x9e37'79b9'7f4a'7c15u;
  return static_cast<std::uint32_t>(mixed >> 32) & (layout_.sets - 1);
}

// The agent's side

void TokenBoard::change(Entry& entry, std::uint64_t file, Blocks blocks, std::uint64_t mode) {
  const std::uint64_t version = entry.version.load(kRelaxed) | 1;  // odd already if an agent died here
  entry.version.store(version, kOrdered);
  entry.file.store(file, kRelease);
  entry.begin.store(blocks.begin, kRelease);
  entry.end.store(blocks.end, kRelease);
  entry.mode.store(mode, kRelease);
  entry.version.store(version + 1, kOrdered);
}

void TokenBoard::publish(std::uint64_t file, const Token& token) {
  const std::span<Entry> entries = entries_of(file);
  const std::uint64_t mode = number_of(token.mode);
  Entry* free = nullptr;
  for (Entry& entry : entries) {
    const std::uint64_t its_mode = entry.mode.load(kRelaxed);
    const Blocks blocks{entry.begin.load(kRelaxed), entry.end.load(kRelaxed)};
    if (its_mode != kFree && entry.file.load(kRelaxed) == file) {
      if (its_mode >= mode && blocks.covers(token.blocks)) return;
      if (its_mode <= mode && token.blocks.covers(blocks)) change(entry, 0, {}, kFree);
    }
    if (entry.mode.load(kRelaxed) == kFree && free == nullptr) free = &entry;
  }
  if (free == nullptr) free = &entries[entries.front().turn.fetch_add(1, kRelaxed) % kWays];
  change(*free, file, token.blocks, mode);
}

void TokenBoard::withdraw(std::uint64_t file, Blocks blocks, bool keeps_shared) {
  // What clients keep is of blocks that may have been evicted here. Reading goes on where it may.
  if (!keeps_shared) tickets_[set_of(file)].losses.fetch_add(1, kOrdered);
  std::vector<Token> rests;
  for (Entry& entry : entries_of(file)) {
    const std::uint64_t mode = entry.mode.load(kRelaxed);
    const Blocks held{entry.begin.load(kRelaxed), entry.end.load(kRelaxed)};
    if (mode == kFree || entry.file.load(kRelaxed) != file || !held.overlaps(blocks)) continue;
    if (keeps_shared && mode == number_of(Mode::shared)) continue;
    change(entry, 0, {}, kFree);
    if (held.begin < blocks.begin) rests.push_back({{held.begin, blocks.begin}, mode_of(mode)});
    if (held.end > blocks.end) rests.push_back({{blocks.end, held.end}, mode_of(mode)});
    if (keeps_shared)
      rests.push_back({{std::max(held.begin, blocks.begin), std::min(held.end, blocks.end)}, Mode::shared});
  }
  for (const Token& rest : rests) publish(file, rest);
}

// visit(slot) for those at work on the blocks until it says true.
template <class Visit>
bool TokenBoard::any_user(std::uint64_t file, Blocks blocks, bool keeps_shared, const Visit& visit) const {
  for (const Slot& slot : claimed_slots()) {
    for (std::uint64_t sequence = slot.sequence.load(kOrdered); sequence % 2 == 1;) {
      const bool same_file = slot.file.load(kAcquire) == file;
      const Blocks used{slot.begin.load(kAcquire), slot.end.load(kAcquire)};
      const std::uint64_t mode = slot.mode.load(kAcquire);
      const std::uint64_t after = slot.sequence.load(kOrdered);
      if (after != sequence) {  // that access is over; the next one, if any, is looked at anew
        sequence = after;
        continue;
      }
      const bool counts = same_file && used.overlaps(blocks) &&
                          (!keeps_shared || (mode & ~kUntaken) == number_of(Mode::exclusive));
      if (counts && visit(slot)) return true;
      break;
    }
  }
  return false;
}

bool TokenBoard::in_use(std::uint64_t file, Blocks blocks, bool keeps_shared) const {
  return any_user(file, blocks, keeps_shared, [](const Slot&) { return true; });
}

std::vector<ClientId> TokenBoard::users(std::uint64_t file, Blocks blocks, bool keeps_shared) const {
  std::vector<ClientId> clients;
  any_user(file, blocks, keeps_shared, [&](const Slot& slot) {
    clients.push_back(slot.client.load(kAcquire));
    return false;
  });
  return clients;
}

bool TokenBoard::wait_unused(std::uint64_t file, Blocks blocks, bool keeps_shared,
                             std::chrono::nanoseconds longest) const {
  const auto until = std::chrono::steady_clock::now() + longest;
  for (int look = 0; in_use(file, blocks, keeps_shared); ++look) {
    if (std::chrono::steady_clock::now() >= until) return false;
    // An access is a memcpy: it ends soon, or its client is not running.
    if (look < 100)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

void TokenBoard::recent_use(std::uint64_t file, const std::function<void(ClientId, Blocks)>& visit) const {
  for (const Slot& slot : claimed_slots()) {
    const ClientId client = slot.client.load(kAcquire);
    if (client == 0 || slot.file.load(kAcquire) != file) continue;
    const Blocks run{slot.run_begin.load(kAcquire), slot.run_end.load(kAcquire)};
    if (!run.empty()) visit(client, run);
  }
}

std::vector<ClientId> TokenBoard::all_users() const {
  std::vector<ClientId> clients;
  for (const Slot& slot : claimed_slots())
    if (slot.sequence.load(kOrdered) % 2 == 1) clients.push_back(slot.client.load(kAcquire));
  return clients;
}

std::vector<ClientId> TokenBoard::clients() const {
  std::vector<ClientId> all;
  for (const Slot& slot : claimed_slots())
    if (const ClientId client = slot.client.load(kAcquire); client != 0) all.push_back(client);
  return all;
}

std::vector<std::uint32_t> TokenBoard::slots_of(ClientId client) const {
  std::vector<std::uint32_t> found;
  const std::span<Slot> slots = claimed_slots();
  for (std::uint32_t i = 0; i < slots.size(); ++i)
    if (slots[i].client.load(kAcquire) == client) found.push_back(i);
  return found;
}

std::uint64_t TokenBoard::next_ticket(std::uint64_t file) const {
  return tickets_[set_of(file)].next.load(kOrdered);
}

std::optional<std::uint32_t> TokenBoard::claim_slot(ClientId client) {
  WEIR_CHECK(client != 0, "client 0");
  for (std::uint32_t i = 0; i < layout_.slots; ++i) {
    if (slots_[i].client.load(kRelaxed) != 0) continue;
    slots_[i].run_begin.store(0, kRelease);
    slots_[i].run_end.store(0, kRelease);
    slots_[i].client.store(client, kRelease);
    if (header_->claimed.load(kRelaxed) <= i) header_->claimed.store(i + 1, kRelease);
    return i;
  }
  return std::nullopt;
}

void TokenBoard::clear(ClientId client) {
  for (Slot& slot : claimed_slots()) {
    if (slot.client.load(kAcquire) != client) continue;
    if (const std::uint64_t sequence = slot.sequence.load(kAcquire); sequence % 2 == 1)
      slot.sequence.store(sequence + 1, kRelease);
    slot.client.store(0, kRelease);
  }
}

void TokenBoard::enter_for(std::uint32_t slot, std::uint64_t file, Blocks blocks, Mode mode) {
  announce(slots_[slot], file, blocks, number_of(mode) | kUntaken);
}

// Whoever changes the mode first has it: the client that takes it, or the agent that ends it.
bool TokenBoard::end_untaken(std::uint32_t slot) {
  Slot& one = slots_[slot];
  if (one.sequence.load(kAcquire) % 2 == 0) return true;
  std::uint64_t mode = one.mode.load(kAcquire);
  if ((mode & kUntaken) == 0 || !one.mode.compare_exchange_strong(mode, kFree, kOrdered)) return false;
  leave(slot);
  return true;
}

// The clients' side

bool TokenBoard::take(std::uint32_t slot) {
  Number& mode = slots_[slot].mode;
  std::uint64_t now = mode.load(kAcquire);
  return (now & kUntaken) != 0 && mode.compare_exchange_strong(now, now & ~kUntaken, kOrdered);
}

void TokenBoard::announce(Slot& slot, std::uint64_t file, Blocks blocks, std::uint64_t mode) {
  const std::uint64_t run_end = slot.run_end.load(kRelaxed);
  const bool goes_on = slot.file.load(kRelaxed) == file && slot.run_begin.load(kRelaxed) <= blocks.begin &&
                       blocks.begin <= run_end && run_end != 0;
  slot.file.store(file, kRelease);
  slot.begin.store(blocks.begin, kRelease);
  slot.end.store(blocks.end, kRelease);
  slot.mode.store(mode, kRelease);
  if (!goes_on) slot.run_begin.store(blocks.begin, kRelease);
  if (!goes_on || run_end < blocks.end) slot.run_end.store(blocks.end, kRelease);
  slot.sequence.store(slot.sequence.load(kRelaxed) + 1, kOrdered);
}

bool TokenBoard::serves(const Entry& entry, std::uint64_t file, Blocks blocks, Mode mode) {
  return entry.file.load(kAcquire) == file && entry.mode.load(kAcquire) >= number_of(mode) &&
         entry.begin.load(kAcquire) <= blocks.begin && blocks.end <= entry.end.load(kAcquire);
}

std::optional<TokenBoard::Access> TokenBoard::enter(std::uint32_t slot, std::uint64_t file, Blocks blocks,
                                                    Mode mode) {
  for (const Entry& entry : entries_of(file)) {
    const std::uint64_t version = entry.version.load(kAcquire);
    if (version % 2 == 1 || !serves(entry, file, blocks, mode)) continue;
    announce(slots_[slot], file, blocks, number_of(mode));
    if (entry.version.load(kOrdered) == version) return Access{mode == Mode::shared ? 0 : take_ticket(file)};
    leave(slot);
  }
  return std::nullopt;
}

void TokenBoard::leave(std::uint32_t slot) {
  Number& sequence = slots_[slot].sequence;
  sequence.store(sequence.load(kRelaxed) + 1, kRelease);
}

std::uint64_t TokenBoard::take_ticket(std::uint64_t file) {
  return tickets_[set_of(file)].next.fetch_add(1, kOrdered);
}

std::uint64_t TokenBoard::note_push(std::uint64_t file) {
  return tickets_[set_of(file)].pushed.fetch_add(1, kOrdered);
}

TokenBoard::Marks TokenBoard::marks(std::uint64_t file) const {
  const Tickets& of_set = tickets_[set_of(file)];
  return {of_set.pushed.load(kOrdered), of_set.losses.load(kOrdered)};
}

}  // namespace weir::burst::lock
