#pragma once

#include <cstdint>
#include <map>

#include <boost/container/small_vector.hpp>

namespace weir::semantics::detail {

// Accesses of a file, by their index.
using Indices = boost::container::small_vector<std::uint32_t, 2>;

// A range of bytes that were last written by the same access and read by the same ones since.
struct Cell {
  std::int64_t end = 0;
  Indices writers;  // the last one, and those before it that it does not speak for
  Indices readers;  // the last of each thread
};

using Cells = std::map<std::int64_t, Cell>;  // by their beginnings

}  // namespace weir::semantics::detail
