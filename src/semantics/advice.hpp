#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "semantics/program_order.hpp"
#include "semantics/verdict.hpp"

namespace weir::semantics {

// What would make a model sufficient for two processes and a file: where to put a call that publishes, and
// one that sees.
struct Advice {
  enum class What : std::uint8_t {
    order,    // nothing orders the two: a barrier, or a message from the one to the other
    flush,    // what a stream holds must reach the file first: fflush
    publish,  // a call that publishes: for commit an fsync
    reopen,   // close by the one and open by the other
    append,   // both append, in whatever order: that takes a file system on which an append is one step
  };

  What what = What::publish;
  std::size_t file = 0;
  std::uint64_t pairs = 0;      // that it would settle, as far as they were counted
  Access write;                 // the call goes behind this one,
  std::optional<Event> leave;   // and before this one of the same process, which tells the other
  std::optional<Event> arrive;  // at the other process: behind this one, which was told,
  Access later;                 // and before this one
};

// What is in the way of the model, for each file, the two processes and the places where they synchronize;
// most pairs first, at most `most` for a file.
std::vector<Advice> advise(const Accesses& accesses, const Verdict& verdict, std::size_t model,
                           const ProgramOrder& order, std::size_t most = 10);

// The file is most likely HDF5's or NetCDF's, and its conflicts are those of the library's own bookkeeping:
// collective metadata does away with them.
bool is_library_metadata(const File& file, const Access& write);

}  // namespace weir::semantics
