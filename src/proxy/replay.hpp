#pragma once

#include <string>

#include "base/result.hpp"
#include "proxy/plan.hpp"
#include "proxy/replay_library.hpp"

namespace weir::proxy {

struct ReplayOptions {
  std::string root = "proxy.root";
  bool original = false;  // on the original files
  bool output = false;    // what is printed is shown
  double think = 0;       // factor on the recorded pauses
};

// Makes the calls of the plan in this process: what a proxy does, without a compiler. The exit status: 0 when
// all ended as recorded, 1 otherwise. Once per process: it changes the working directory and where output
// goes. Of a trace with ranks it makes those of the rank that this process is, with `library` for the calls
// of MPI (the programs weir-replay-* have one); without one such traces are refused.
Result<int> replay(const Plan& plan, const ReplayOptions& options, ReplayLibrary* library = nullptr);

// An Error of kind `lacking` where the plan has calls that only a compiled program can make.
Result<void> check_replayable(const Plan& plan);

}  // namespace weir::proxy
