#pragma once

#include <string_view>

#include "monitor/detail/text.hpp"

namespace weir::monitor::detail {

// "8:16"
inline bool is_device_number(std::string_view word) {
  const std::size_t colon = word.find(':');
  return colon != std::string_view::npos && whole(word.substr(0, colon)) && whole(word.substr(colon + 1));
}

}  // namespace weir::monitor::detail
