#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/record.hpp"

namespace weir::trace {

// A text that holds a list (Encoding::list). Each item is a varint h; the lower two bits tell its kind. The
// numbers are part of the format.
enum class ListMark : std::uint8_t {
  number = 0,    // h >> 2 is its zigzag
  relative = 1,  // likewise, counted from the caller's own rank
  name = 2,      // h >> 2 is its length, the bytes follow
  nothing = 3,   // h >> 2 is 0
};

// The items of a list, in place of what `items` held. Names point into the text. A text that is damaged gives
// the items before the damage.
void take_list(std::string_view text, std::int64_t own_rank, std::vector<ListItem>& items);

}  // namespace weir::trace
