#pragma once

#include <cstddef>
#include <functional>

namespace weir {

// Calls task(i) for every i in 0 .. count-1 on `threads` threads (0: one per core this process may use).
// Indices are handed out in ascending order, one at a time, so uneven tasks balance themselves; what a
// task computes must depend on i alone, and then the outcome is the same for any number of threads.
// An exception from a task ends the loop early and is thrown again here.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& task, unsigned threads = 0);

// Cores this process may use (its affinity mask), at least 1.
unsigned usable_cores();

}  // namespace weir
