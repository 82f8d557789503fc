#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <tuple>

#include "base/checksum.hpp"

namespace weir::burst {

// Which worker of which server a name or a file belongs to.
struct Home {
  std::uint32_t server = 0;
  std::uint32_t worker = 0;

  friend bool operator==(const Home&, const Home&) = default;
};

// A file's number: its home, and a count that is never used again. Zero is no file.
struct FileId {
  std::uint64_t value = 0;

  static FileId of(Home home, std::uint64_t count) {
    return {(static_cast<std::uint64_t>(home.server) << 48) |
            (static_cast<std::uint64_t>(home.worker) << 40) | count};
  }
  Home home() const {
    return {static_cast<std::uint32_t>(value >> 48), static_cast<std::uint32_t>(value >> 40) & 0xffu};
  }
  std::uint64_t count() const { return value & ((std::uint64_t{1} << 40) - 1); }
  explicit operator bool() const { return value != 0; }
  static constexpr auto fields = std::tuple{&FileId::value};

  friend bool operator==(const FileId&, const FileId&) = default;
  friend auto operator<=>(const FileId&, const FileId&) = default;
};

// How many there are of each.
struct Layout {
  std::uint32_t servers = 1;
  std::uint32_t workers = 1;

  Home home_of(std::string_view path) const {
    const std::uint64_t hash = checksum(as_bytes(path));
    return {static_cast<std::uint32_t>(hash % servers), static_cast<std::uint32_t>(hash / servers % workers)};
  }
};

}  // namespace weir::burst

template <>
struct std::hash<weir::burst::FileId> {
  std::size_t operator()(const weir::burst::FileId& id) const noexcept {
    return std::hash<std::uint64_t>{}(id.value * 0x9e3779b97f4a7c15u);
  }
};
