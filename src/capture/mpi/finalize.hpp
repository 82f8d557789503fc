#pragma once

namespace weir::capture::mpi {

// Called by every rank when all have come to MPI_Finalize and it is recorded: merges what they have recorded,
// in pairs, and leaves the result beside the lanes, where `weir merge` takes it up. Whatever fails here, is
// switched off or takes too long is merged from the lanes later; the program does not notice.
void merge_the_world();

}  // namespace weir::capture::mpi
