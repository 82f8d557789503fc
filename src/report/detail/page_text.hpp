#pragma once

#include <span>
#include <string_view>

namespace weir::report::detail {

// The built page of page/, on both sides of the place where results go (cmake/page.cmake), each in pieces
// that follow each other.
std::span<const std::string_view> page_before();
std::span<const std::string_view> page_after();

}  // namespace weir::report::detail
