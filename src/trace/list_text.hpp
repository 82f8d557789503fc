#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/encoding.hpp"
#include "trace/record.hpp"

namespace weir::trace {

// The items of a list, in place of what `items` held. Names point into the text. A text that is damaged gives
// the items before the damage.
void take_list(std::string_view text, std::int64_t own_rank, std::vector<ListItem>& items);

}  // namespace weir::trace
