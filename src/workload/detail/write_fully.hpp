#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir::workload::detail {

// Linux moves at most this much in one call, however much is asked for, and says so only in what it returns.
inline constexpr std::size_t kMostPerCall = 0x7ffff000;

// Writes all of it at the file's position and goes on after partial writes; 0 or an errno. `most` is for
// tests.
int write_fully(int fd, std::span<const std::byte> bytes, std::size_t most = kMostPerCall);

}  // namespace weir::workload::detail
