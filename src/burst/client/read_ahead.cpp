#include "burst/client/read_ahead.hpp"

namespace weir::burst {

Span ReadAhead::after(Span bytes, std::uint64_t size) {
  const bool goes_on = !read_end_ || *read_end_ == bytes.begin;
  const bool from_beginning = bytes.begin == 0 || (goes_on && in_large_pieces_);
  const std::uint64_t length = bytes.size();
  read_end_ = bytes.end;
  in_large_pieces_ = from_beginning && length >= kWorthIt;
  has_read_whole_ = from_beginning && bytes.end == size && size >= kWorthIt;
  if (!goes_on || length < kWorthIt) return {};
  const std::uint64_t ahead = kPieces * std::min(length, kFarthest / kPieces);
  if (mapped_end_ >= bytes.end + ahead / 2) return {};
  const Span next{std::max(mapped_end_, bytes.begin + length / 2), std::min(size, bytes.end + ahead)};
  return next.begin < next.end ? next : Span{};
}

}  // namespace weir::burst
