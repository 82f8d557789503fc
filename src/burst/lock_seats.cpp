#include "burst/lock_seats.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/log.hpp"

namespace weir::burst {
namespace {

constexpr lock::TokenBoard::Layout kLayout{.sets = 512, .slots = 4096};
// Threads of a client that can write under tokens at the same time.
constexpr std::size_t kSlotsEach = 4;
constexpr std::uint64_t kRecords = 8192;
constexpr std::string_view kRingPrefix = "ring-";

}  // namespace

Result<lock::DirtyRing> open_ring_of(std::span<std::byte> seat) {
  if (seat.size() < lock::HoldTable::kBytes) return Error{Errc::bad_data, "a client's seat: too short"};
  return lock::DirtyRing::open(seat.subspan(lock::HoldTable::kBytes));
}

std::optional<std::uint64_t> client_of_ring(std::string_view name) {
  std::uint64_t client = 0;
  if (!name.starts_with(kRingPrefix)) return std::nullopt;
  const auto [end, error] =
      std::from_chars(name.data() + kRingPrefix.size(), name.data() + name.size(), client, 16);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return client;
}

std::filesystem::path LockSeats::ring_of(std::uint64_t client) const {
  return folder_ / fmt::format("{}{:016x}", kRingPrefix, client);
}

Result<void> LockSeats::begin() {
  if (board_) return {};
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return Error::from_errno(error.value(), "cannot make the directory").in(folder_.string());
  auto memory = SharedMemory::create(board_path(), lock::TokenBoard::size_bytes(kLayout));
  if (!memory) return memory.error();
  auto board = lock::TokenBoard::create(memory->bytes(), kLayout);
  if (!board) return board.error();
  board->set_closed(closed_);
  board_memory_ = std::move(*memory);
  board_ = *board;
  return {};
}

void LockSeats::set_closed(bool closed) {
  closed_ = closed;
  if (board_) board_->set_closed(closed);
}

bool LockSeats::anybody_writes() const {
  return std::ranges::any_of(seats_, [](const auto& row) {
    const Client& client = *row.second;
    return client.ring.is_pushing() && client.memory.is_held_elsewhere();
  });
}

Result<void> LockSeats::recover() {
  if (!std::filesystem::exists(board_path())) return {};
  auto memory = SharedMemory::open(board_path());
  if (!memory) return memory.error();
  auto board = lock::TokenBoard::open(memory->bytes());
  if (!board) return board.error().in(board_path().string());
  board_memory_ = std::move(*memory);
  board_ = *board;
  board_->take_over();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    const auto client = client_of_ring(entry.path().filename().string());
    if (!client) continue;
    if (auto opened = open_ring(*client); !opened) warn("{}", opened.error().text());
  }
  return {};
}

Result<void> LockSeats::open_ring(std::uint64_t client) {
  auto memory = SharedMemory::open(ring_of(client));
  if (!memory) return memory.error();
  auto ring = open_ring_of(memory->bytes());
  if (!ring) return ring.error().in(ring_of(client).string());
  const std::uint64_t from = ring->begin();
  const lock::HoldTable holds(memory->bytes().first<lock::HoldTable::kBytes>());
  seats_[client] =
      std::make_unique<Client>(Client{std::move(*memory), holds, *ring, board_->slots_of(client), from, 0});
  return {};
}

Outcome<Seat> LockSeats::take(std::uint64_t client) {
  if (client == 0) return {EINVAL, {}};
  if (auto begun = begin(); !begun) {
    warn("{}", begun.error().text());
    return {ENOSPC, {}};
  }
  auto& seat = seats_[client];
  if (!seat) {
    auto memory = SharedMemory::create(ring_of(client),
                                       lock::HoldTable::kBytes + lock::DirtyRing::size_bytes(kRecords));
    if (!memory) {
      warn("{}", memory.error().text());
      seats_.erase(client);
      return {ENOSPC, {}};
    }
    auto ring = lock::DirtyRing::create(memory->bytes().subspan(lock::HoldTable::kBytes), client);
    const lock::HoldTable holds(memory->bytes().first<lock::HoldTable::kBytes>());
    seat = std::make_unique<Client>(Client{std::move(*memory), holds, *ring, {}, 0, 0});
  }
  while (seat->slots.size() < kSlotsEach) {
    const auto slot = board_->claim_slot(client);
    if (!slot) break;
    seat->slots.push_back(*slot);
  }
  if (seat->slots.empty()) return {ENOLCK, {}};
  return {0, {.board = board_path().string(), .ring = ring_of(client).string(), .slots = seat->slots}};
}

bool LockSeats::let_go(std::uint64_t client) {
  const auto seat = seats_.find(client);
  if (seat == seats_.end()) return true;
  if (seat->second->memory.is_held_elsewhere()) return false;
  board_->clear(client);
  seat->second->slots.clear();
  return true;
}

void LockSeats::remove(std::uint64_t client) {
  const auto seat = seats_.find(client);
  if (seat == seats_.end()) return;
  local_of_gone_ += seat->second->ring.local();
  seats_.erase(seat);
  std::error_code ignored;
  std::filesystem::remove(ring_of(client), ignored);
}

std::vector<std::uint64_t> LockSeats::clients() const {
  std::vector<std::uint64_t> all;
  for (const auto& [client, seat] : seats_) all.push_back(client);
  return all;
}

bool LockSeats::owns(std::uint64_t client, std::uint32_t slot) const {
  const auto seat = seats_.find(client);
  return seat != seats_.end() && std::ranges::find(seat->second->slots, slot) != seat->second->slots.end();
}

bool LockSeats::is_ours(FileId file) const {
  return file.home().worker == self_.worker && file.home().server < layout_.servers;
}

void LockSeats::look() {
  for (auto& [client, seat] : seats_) {
    const lock::DirtyRing& ring = seat->ring;
    // A client that writes nonsense here harms nobody else: there is never more than a whole round of
    // records, and those that no owner would take do not get into a message with others'.
    const std::uint64_t end = std::min(ring.end(), seat->looked + (ring.capacity() - seat->unretired));
    for (; seat->looked < end; ++seat->looked) {
      const lock::DirtyRecord record = ring.at(seat->looked);
      if (record.file == 0) continue;
      if (!is_ours({record.file}) ||
          !is_sane({record.begin, record.length, record.position, record.segment})) {
        seat->ring.retire(seat->looked);
        continue;
      }
      dirty_[{record.file}].push_back({client, seat->looked, record});
      ++seat->unretired;
    }
  }
}

std::vector<LockSeats::Dirty> LockSeats::take_dirty(FileId file, std::uint64_t before, std::size_t most) {
  look();
  const auto found = dirty_.find(file);
  if (found == dirty_.end()) return {};
  std::vector<Dirty>& all = found->second;
  std::ranges::stable_sort(all, {}, [](const Dirty& one) { return one.record.ticket; });
  const auto later =
      std::ranges::lower_bound(all, before, {}, [](const Dirty& one) { return one.record.ticket; });
  const auto count = std::min<std::ptrdiff_t>(later - all.begin(), static_cast<std::ptrdiff_t>(most));
  std::vector<Dirty> taken(all.begin(), all.begin() + count);
  all.erase(all.begin(), all.begin() + count);
  if (all.empty()) dirty_.erase(found);
  return taken;
}

void LockSeats::retire(const std::vector<Dirty>& flushed) {
  for (const Dirty& one : flushed) {
    const auto seat = seats_.find(one.client);
    if (seat == seats_.end()) continue;
    seat->second->ring.retire(one.place);
    --seat->second->unretired;
  }
}

bool LockSeats::note_hold(std::uint64_t client, const lock::HoldTable::Hold& hold) {
  const auto seat = seats_.find(client);
  return seat != seats_.end() && hold.number != 0 && seat->second->holds.add(hold);
}

void LockSeats::drop_hold(std::uint64_t client, std::uint64_t number) {
  if (const auto seat = seats_.find(client); seat != seats_.end()) seat->second->holds.remove(number);
}

std::vector<lock::HoldTable::Hold> LockSeats::holds(std::uint64_t client) const {
  const auto seat = seats_.find(client);
  if (seat == seats_.end() || seat->second->slots.empty()) return {};  // let go
  return seat->second->holds.all();
}

std::vector<FileId> LockSeats::dirty_files() {
  look();
  std::vector<FileId> files;
  for (const auto& [file, records] : dirty_) files.push_back(file);
  return files;
}

bool LockSeats::is_dirty(std::uint64_t client) {
  look();
  const auto seat = seats_.find(client);
  return seat != seats_.end() && seat->second->unretired > 0;
}

std::uint64_t LockSeats::local_accesses() const {
  std::uint64_t total = local_of_gone_;
  for (const auto& [client, seat] : seats_) total += seat->ring.local();
  return total;
}

}  // namespace weir::burst
