#pragma once

#include "proxy/plan.hpp"

namespace weir::proxy {

// What must be there before the program begins, from what it found: files it opens without making them, as
// large as what it reads of them, with lines as long as those it reads; directories; links.
Result<void> find_needs(Plan& plan);

// Stands for standard input where that was no file.
inline constexpr const char* kInput = "/.weir-proxy-input";

}  // namespace weir::proxy
