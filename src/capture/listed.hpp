#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <aio.h>
#include <sys/uio.h>

#include "capture/lane.hpp"
#include "capture/scratch.hpp"

struct io_uring;  // of liburing.h, which a build may lack

namespace weir::capture {

// Arguments that are lists, as the bytes that stand for them in a trace.

// The number of a list that was put into the room. One that fills its room had more to it, or nearly so.
std::uint32_t number_of(std::string_view list, std::span<const char> room, Lane& lane);

// The lengths of an iovec array as they are.
std::string_view lengths_of(const iovec* vectors, std::int64_t count, std::span<char> room);

// What an asynchronous request asks for: descriptor, operation, offset, length and where it stands.
using AskedFor = std::array<std::int64_t, 5>;

AskedFor asked_for(const aiocb& request, Lane& lane, bool failed);
// As many as there is room for; one that asks for nothing is kept as such, so that none is missed.
std::string_view requests_of(const aiocb* const* list, std::int64_t count, std::span<char> room, Lane& lane,
                             bool failed);

// What waits in a ring to be submitted: operation, descriptor, offset and length of each, 8 bytes a number.
// Kept before the call: they are gone from the ring when it returns.
class Submissions {
 public:
  void keep(const io_uring* ring);
  std::uint32_t number_in(Lane& lane) const;

 private:
  Scratch<char, 4096> memory_;
  const char* bytes_ = nullptr;
  std::size_t kept_ = 0;
  std::size_t all_ = 0;
};

}  // namespace weir::capture
