#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "trace/record.hpp"

namespace weir::proxy {

// Which records of a process a proxy makes again: not those on the kernel's files, nor what libraries do when
// they are loaded and unloaded. The same rule as Stream::passes() of the runtime, on a trace; one for each
// process.
class OwnCalls {
 public:
  explicit OwnCalls(bool has_rank) : outside_(has_rank) {}

  // `stream` is the one that the record is of; the first is that of the main thread.
  bool is_made(const trace::Record& record, std::size_t stream);

 private:
  struct State {
    bool own = false;
    bool left_out = false;
  };

  bool outside_;  // before MPI_Init or after MPI_Finalize
  std::unordered_map<std::uint32_t, State> handles_;
};

bool tells_of_machine(std::string_view path);

}  // namespace weir::proxy
