#include "capture/listed.hpp"

#include <algorithm>
#include <cstring>

#ifdef WEIR_HAVE_URING
#include <liburing.h>
#endif

#include "capture/process.hpp"

namespace weir::capture {
namespace {

// What one entry of a ring is kept as.
using Submission = std::array<std::int64_t, 4>;

// How many bytes all that waits takes.
std::size_t bytes_of([[maybe_unused]] const io_uring* ring) {
#ifdef WEIR_HAVE_URING
  if (ring != nullptr && ring->sq.sqes != nullptr)
    return std::size_t{ring->sq.sqe_tail - ring->sq.sqe_head} * sizeof(Submission);
#endif
  return 0;
}

// As far as there is room; how many bytes were used.
std::size_t put_submissions([[maybe_unused]] const io_uring* ring, [[maybe_unused]] std::span<char> room) {
  std::size_t used = 0;
#ifdef WEIR_HAVE_URING
  if (ring == nullptr || ring->sq.sqes == nullptr) return 0;
  const unsigned mask = ring->sq.ring_mask;
  const unsigned shift = (ring->flags & IORING_SETUP_SQE128) != 0 ? 1 : 0;
  for (unsigned at = ring->sq.sqe_head; at != ring->sq.sqe_tail; ++at) {
    const io_uring_sqe& entry = ring->sq.sqes[(at & mask) << shift];
    const Submission asked = {entry.opcode, entry.fd, static_cast<std::int64_t>(entry.off),
                              static_cast<std::int64_t>(entry.len)};
    if (used + sizeof asked > room.size()) break;
    std::memcpy(room.data() + used, &asked, sizeof asked);
    used += sizeof asked;
  }
#endif
  return used;
}

}  // namespace

std::uint32_t number_of(std::string_view list, std::span<const char> room, Lane& lane) {
  if (list.size() + sizeof(AskedFor) > room.size()) lane.count_cut();
  return lane.number_of_list(list);
}

std::string_view lengths_of(const iovec* vectors, std::int64_t count, std::span<char> room) {
  std::size_t used = 0;
  for (std::int64_t i = 0; i < count && used + sizeof(std::uint64_t) <= room.size(); ++i) {
    const std::uint64_t length = vectors[i].iov_len;
    std::memcpy(room.data() + used, &length, sizeof length);
    used += sizeof length;
  }
  return {room.data(), used};
}

AskedFor asked_for(const aiocb& request, Lane& lane, bool failed) {
  Handle handle = Process::current().handles().find(request.aio_fildes);
  if (!handle.known() && !failed && !Lane::in_vforked_child())
    handle = Process::current().handles().open(request.aio_fildes, false);
  if (handle.known()) lane.id_of(handle, request.aio_fildes);
  return {request.aio_fildes, request.aio_lio_opcode, request.aio_offset,
          static_cast<std::int64_t>(request.aio_nbytes),
          static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&request))};
}

std::string_view requests_of(const aiocb* const* list, std::int64_t count, std::span<char> room, Lane& lane,
                             bool failed) {
  std::size_t used = 0;
  for (std::int64_t i = 0; i < count && used + sizeof(AskedFor) <= room.size(); ++i) {
    const bool asks = list[i] != nullptr && list[i]->aio_lio_opcode != LIO_NOP;
    const AskedFor asked = asks ? asked_for(*list[i], lane, failed) : AskedFor{-1, LIO_NOP, 0, 0, 0};
    std::memcpy(room.data() + used, &asked, sizeof asked);
    used += sizeof asked;
  }
  return {room.data(), used};
}

void Submissions::keep(const io_uring* ring) {
  all_ = bytes_of(ring);
  const std::size_t room = std::min(all_, Lane::kLongestList);
  char* const memory = memory_.make(room);
  if (memory == nullptr) return;
  bytes_ = memory;
  kept_ = put_submissions(ring, {memory, room});
}

std::uint32_t Submissions::number_in(Lane& lane) const {
  if (kept_ < all_) lane.count_cut();
  return lane.number_of_list({bytes_, kept_});
}

}  // namespace weir::capture
