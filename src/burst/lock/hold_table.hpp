#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "burst/lock/message.hpp"

namespace weir::burst::lock {

// The blocks that a client has asked its agent to hold for it. Only the agent writes here; the table is in
// memory that outlives it, so that the next one goes on holding them.
class HoldTable {
 public:
  struct Hold {
    std::uint64_t number = 0;  // of the client, not 0
    std::uint64_t file = 0;
    Token token;
    bool operator==(const Hold&) const = default;
  };
  static constexpr std::size_t kBytes = 4096;

  // On memory that was zeroed when it was made.
  explicit HoldTable(std::span<std::byte, kBytes> memory) : cells_(reinterpret_cast<Cell*>(memory.data())) {}

  bool add(const Hold& hold) {  // false when it is full
    for (Cell& cell : cells()) {
      if (cell.number.load(std::memory_order_relaxed) != 0) continue;
      cell.file.store(hold.file, std::memory_order_relaxed);
      cell.begin.store(hold.token.blocks.begin, std::memory_order_relaxed);
      cell.end.store(hold.token.blocks.end, std::memory_order_relaxed);
      cell.exclusive.store(hold.token.mode == Mode::exclusive ? 1 : 0, std::memory_order_relaxed);
      cell.number.store(hold.number, std::memory_order_release);
      return true;
    }
    return false;
  }
  void remove(std::uint64_t number) {
    for (Cell& cell : cells())
      if (cell.number.load(std::memory_order_relaxed) == number)
        cell.number.store(0, std::memory_order_release);
  }
  std::vector<Hold> all() const {
    std::vector<Hold> holds;
    for (const Cell& cell : cells())
      if (const std::uint64_t number = cell.number.load(std::memory_order_acquire); number != 0)
        holds.push_back(
            {number,
             cell.file.load(std::memory_order_relaxed),
             {{cell.begin.load(std::memory_order_relaxed), cell.end.load(std::memory_order_relaxed)},
              cell.exclusive.load(std::memory_order_relaxed) != 0 ? Mode::exclusive : Mode::shared}});
    return holds;
  }

 private:
  using Number = std::atomic<std::uint64_t>;
  struct Cell {
    Number number;
    Number file;
    Number begin;
    Number end;
    Number exclusive;
  };
  std::span<Cell> cells() const { return {cells_, kBytes / sizeof(Cell)}; }

  Cell* cells_;
};

}  // namespace weir::burst::lock
