#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir {

// How many items a pointer argument has, when another argument tells.
enum class Many : std::uint8_t {
  one,        // one, or what the role says: a buffer, a string
  argument,   // the value of another argument, times a factor
  pointed,    // what another argument points to, after the call
  size,       // processes of a communicator; of the remote group, where there is one
  indegree,   // neighbours of a communicator that send
  outdegree,  // and that receive
  rank,       // dimensions of a dataspace, a dataset, an array type; of a variable in a file
  sum,        // the items of another list together
  last,       // the last item of another list
};

struct Items {
  Many many = Many::one;
  std::uint8_t of = 0;      // index of the argument that tells
  std::uint8_t factor = 1;  // of Many::argument
  std::uint8_t with = 0;    // of Many::rank: the variable in the file, or the same as `of`
  // They are lists themselves, of as many items as something has dimensions: one behind the other, or each at
  // an address of its own. `each_with` may be a list too, with a variable for each of them.
  bool lists = false;
  std::uint8_t each_of = 0;
  std::uint8_t each_with = 0;
};

// What stands before the parenthesis in a table: size(comm).
inline constexpr std::array<std::string_view, 9> kManyWords = {"",          "",     "",    "size", "indegree",
                                                               "outdegree", "rank", "sum", "last"};

// How a call says that it failed.
enum class Failure : std::uint8_t {
  minus_one,  // -1 or a null pointer, and errno
  nonzero,    // its result, unless that is 0
  negative,   // a negative result
};

inline constexpr std::array<std::string_view, 3> kFailureWords = {"minus_one", "nonzero", "negative"};

}  // namespace weir
