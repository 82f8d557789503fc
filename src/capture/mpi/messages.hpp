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

// Waits for what all ranks take part in and lets others have the core meanwhile: the libraries' own waiting
// does not, and ranks may be more than cores. Not done when it failed; with a limit also when kPatience is
// over, and what it was to fill may be filled later.
enum class Limit { none, patience };
bool all_came(MPI_Request& request, Limit limit);

bool send_bytes(MPI_Comm comm, int to, ByteSpan bytes);
// Nothing as well when there is no memory for them, or more than `most`.
std::optional<std::vector<std::byte>> receive_bytes(MPI_Comm comm, int from, std::size_t most);

}  // namespace weir::capture::mpi
