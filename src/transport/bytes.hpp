#pragma once

#include <cstddef>
#include <vector>

#include "base/bytes.hpp"

namespace weir::transport {

// A message's bytes, owned. Not weir::Bytes, which is a length.
using Bytes = std::vector<std::byte>;

// No message is longer, in either direction and on every way: what comes in pieces (data) is sent in pieces.
constexpr std::size_t kLongestMessage = std::size_t{256} << 20U;

}  // namespace weir::transport
