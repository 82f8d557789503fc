#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace weir::trace {

// The values that stand in no signature, of a block of records. Values of one place (a signature's argument)
// stand together: they resemble each other.
class ColumnWriter {
 public:
  void add(std::uint32_t signature, std::span<const std::int64_t> values);
  // Appends all and is empty again.
  void finish(ByteWriter& out);

 private:
  struct Group {
    std::uint32_t columns = 0;
    std::vector<std::int64_t> values;  // record by record
  };
  std::map<std::uint32_t, Group> groups_;
};

class ColumnReader {
 public:
  // `columns` says how many each signature has; `records` bounds what a damaged block can ask for.
  static Result<ColumnReader> parse(ByteReader& in, std::span<const std::uint8_t> columns,
                                    std::uint64_t records);

  // The next values of that signature; null when there are no more.
  const std::int64_t* next(std::uint32_t signature, std::uint32_t columns) {
    if (signature >= group_of_.size() || group_of_[signature] == 0) return nullptr;
    Group& group = groups_[group_of_[signature] - 1];
    if (group.next + columns > group.values.size()) return nullptr;
    const std::int64_t* const found = group.values.data() + group.next;
    group.next += columns;
    return found;
  }

 private:
  struct Group {
    std::vector<std::int64_t> values;
    std::size_t next = 0;
  };
  std::vector<std::uint32_t> group_of_;
  std::vector<Group> groups_;
};

// A list of numbers in few bytes: constant, or bytes of equal weight together and each of these planes
// packed; of the values or of their differences, whichever is shorter.
void put_numbers(ByteWriter& out, std::span<const std::int64_t> values);
Result<std::vector<std::int64_t>> take_numbers(ByteReader& in, std::uint64_t count);

}  // namespace weir::trace
