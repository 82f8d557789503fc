#pragma once

#include <vector>

#include "semantics/accesses.hpp"
#include "semantics/detail/collected.hpp"

namespace weir::semantics::detail {

// What the families of one program left, in the terms of the whole workflow.
struct FollowedProgram {
  std::vector<Collected> families;
  std::uint32_t first_process = 0;
  std::int64_t shift_ns = 0;
};

// Decides which openings are the same file, puts each file's accesses together and finds out what counts from
// a file's end. Fills all but `programs` and `orders`.
void assemble(std::vector<FollowedProgram> programs, unsigned threads, Accesses& out);

}  // namespace weir::semantics::detail
