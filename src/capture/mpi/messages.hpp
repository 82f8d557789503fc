#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <mpi.h>

#include "base/bytes.hpp"

namespace weir::capture::mpi {

// Bytes between two processes of a communicator of our own, whose errors return. Neither side waits for the
// other for longer than kPatience: then the answer is false, or nothing, and what was under way is left to
// MPI_Finalize.
inline constexpr int kPatience = 60;  // seconds

bool send_bytes(MPI_Comm comm, int to, ByteSpan bytes);
// Nothing as well when there is no memory for them, or more than `most`.
std::optional<std::vector<std::byte>> receive_bytes(MPI_Comm comm, int from, std::size_t most);

}  // namespace weir::capture::mpi
