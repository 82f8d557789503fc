#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weir {

// What stands behind a handle that a call makes (@makes). Everything but `file` has no name in a file system:
// a tracer follows such descriptors only to know that they are none of its files.
enum class Made : std::uint8_t { file, pipe, socket, event, memory, terminal, process, callback };

inline constexpr std::array<std::string_view, 8> kMade = {"file",   "pipe",     "socket",  "event",
                                                          "memory", "terminal", "process", "callback"};

constexpr std::string_view name(Made made) { return kMade[static_cast<std::size_t>(made)]; }

constexpr std::optional<Made> find_made(std::string_view wanted) {
  for (std::size_t i = 0; i < kMade.size(); ++i)
    if (kMade[i] == wanted) return static_cast<Made>(i);
  return std::nullopt;
}

// The stream a call acts on without being given it (@on): standard output for puts. Not called stdin and so
// on: those are macros.
enum class Standard : std::uint8_t { none, input, output, error };

inline constexpr std::array<std::string_view, 4> kStandard = {"none", "stdin", "stdout", "stderr"};

constexpr std::string_view name(Standard stream) { return kStandard[static_cast<std::size_t>(stream)]; }

constexpr std::optional<Standard> find_standard(std::string_view wanted) {
  for (std::size_t i = 1; i < kStandard.size(); ++i)
    if (kStandard[i] == wanted) return static_cast<Standard>(i);
  return std::nullopt;
}

}  // namespace weir
