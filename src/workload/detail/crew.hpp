#pragma once

#include <functional>
#include <vector>

#include "base/result.hpp"
#include "workload/detail/board.hpp"
#include "workload/detail/task.hpp"

namespace weir::workload::detail {

// Let the workers of a job run, one a task, all starting together; what they did is in the board's lanes. The
// first failure ends the others: an Error of the worker that failed, or of one that was killed by a signal.
// A user's Ctrl-C ends them as well.
// `before_start`, where there is one, is called when all are ready and says when, or that not, they may
// begin.
using BeforeStart = std::function<Result<void>()>;
Result<void> run_threads(const std::vector<Task>& tasks, const Board& board,
                         const BeforeStart& before_start = {});
Result<void> run_processes(const std::vector<Task>& tasks, const Board& board,
                           const BeforeStart& before_start = {});

}  // namespace weir::workload::detail
