#include "burst/lock/dirty_ring.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace weir::burst::lock {
namespace {

constexpr std::uint64_t kMagic = 0x3147'4e52'5954'5244;  // "DRTYRNG1"
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

DirtyRing::DirtyRing(std::span<std::byte> memory, std::uint64_t capacity)
    : capacity_(capacity),
      header_(reinterpret_cast<Header*>(memory.data())),
      cells_(reinterpret_cast<Cell*>(memory.data() + sizeof(Header))) {}

Result<DirtyRing> DirtyRing::create(std::span<std::byte> memory, std::uint64_t client) {
  if (memory.size() < size_bytes(1)) return Error{Errc::usage, "no room for a ring"};
  DirtyRing ring(memory, (memory.size() - sizeof(Header)) / sizeof(Cell));
  ring.header_->capacity.store(ring.capacity_, kRelaxed);
  ring.header_->client.store(client, kRelaxed);
  ring.header_->magic.store(kMagic, kRelease);
  return ring;
}

Result<DirtyRing> DirtyRing::open(std::span<std::byte> memory) {
  if (memory.size() < size_bytes(1)) return Error{Errc::bad_data, "ring of written bytes: too short"};
  const auto* header = reinterpret_cast<const Header*>(memory.data());
  if (header->magic.load(kAcquire) != kMagic)
    return Error{Errc::bad_data, "ring of written bytes: not one, or of another version"};
  const std::uint64_t capacity = header->capacity.load(kRelaxed);
  if (capacity == 0 || capacity > (memory.size() - sizeof(Header)) / sizeof(Cell))
    return Error{Errc::bad_data,
                 fmt::format("ring of written bytes: {} records, more than there is room for", capacity)};
  const std::uint64_t head = header->head.load(kAcquire);
  if (const std::uint64_t tail = header->tail.load(kRelaxed); tail > head || head - tail > capacity)
    return Error{Errc::bad_data, fmt::format("ring of written bytes: from {} to {}", tail, head)};
  return DirtyRing(memory, capacity);
}

std::uint64_t DirtyRing::free() const {
  return capacity_ - (header_->head.load(kRelaxed) - header_->tail.load(kAcquire));
}

bool DirtyRing::push(const DirtyRecord& record) {
  if (free() == 0) return false;
  const std::uint64_t place = header_->head.load(kRelaxed);
  Cell& to = cell(place);
  to.file.store(record.file, kRelaxed);
  to.begin.store(record.begin, kRelaxed);
  to.length.store(record.length, kRelaxed);
  to.segment.store(record.segment, kRelaxed);
  to.position.store(record.position, kRelaxed);
  to.ticket.store(record.ticket, kRelaxed);
  header_->head.store(place + 1, kRelease);
  return true;
}

DirtyRecord DirtyRing::at(std::uint64_t place) const {
  const Cell& from = cell(place);
  return {.file = from.file.load(kRelaxed),
          .begin = from.begin.load(kRelaxed),
          .length = from.length.load(kRelaxed),
          .segment = from.segment.load(kRelaxed),
          .position = from.position.load(kRelaxed),
          .ticket = from.ticket.load(kRelaxed)};
}

void DirtyRing::retire(std::uint64_t place) {
  cell(place).file.store(0, kRelaxed);
  std::uint64_t tail = begin();
  // The client may have written anything here: no further than a whole round.
  const std::uint64_t head = std::min(end(), tail + capacity_);
  while (tail < head && cell(tail).file.load(kRelaxed) == 0) ++tail;
  header_->tail.store(tail, kRelease);
}

}  // namespace weir::burst::lock
