#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// The words of a launcher as a user writes it: "srun -N 2 -n {}".
std::vector<std::string> split_words(std::string_view text);

// A launcher that starts this many ranks of what follows it: "{}" stands for the number; without one,
// "-n COUNT" is added.
std::vector<std::string> start_ranks(std::vector<std::string> launcher, std::uint64_t count);

}  // namespace weir
