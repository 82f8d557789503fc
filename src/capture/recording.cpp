#include "capture/recording.hpp"

#ifdef WEIR_HAVE_URING
#include <liburing.h>
#endif

namespace weir::capture {

std::string_view lengths_of(const iovec* vectors, int count, char* scratch, std::size_t room) {
  std::size_t used = 0;
  for (int i = 0; i < count && used + sizeof(std::uint64_t) <= room; ++i) {
    const std::uint64_t length = vectors[i].iov_len;
    std::memcpy(scratch + used, &length, sizeof length);
    used += sizeof length;
  }
  return {scratch, used};
}

std::size_t bytes_of_submissions([[maybe_unused]] const io_uring* ring) {
#ifdef WEIR_HAVE_URING
  constexpr std::size_t kNumbers = 4;
  if (ring != nullptr && ring->sq.sqes != nullptr)
    return std::size_t{ring->sq.sqe_tail - ring->sq.sqe_head} * kNumbers * sizeof(std::int64_t);
#endif
  return 0;
}

std::size_t submissions_of([[maybe_unused]] const io_uring* ring, [[maybe_unused]] char* scratch,
                           [[maybe_unused]] std::size_t room) {
  std::size_t used = 0;
#ifdef WEIR_HAVE_URING
  if (ring == nullptr || ring->sq.sqes == nullptr) return 0;
  const unsigned mask = ring->sq.ring_mask;
  const unsigned shift = (ring->flags & IORING_SETUP_SQE128) != 0 ? 1 : 0;
  for (unsigned at = ring->sq.sqe_head; at != ring->sq.sqe_tail; ++at) {
    const io_uring_sqe& entry = ring->sq.sqes[(at & mask) << shift];
    const std::int64_t asked[] = {entry.opcode, entry.fd, static_cast<std::int64_t>(entry.off),
                                  static_cast<std::int64_t>(entry.len)};
    if (used + sizeof asked > room) break;
    std::memcpy(scratch + used, asked, sizeof asked);
    used += sizeof asked;
  }
#endif
  return used;
}

}  // namespace weir::capture
