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
// goes. Of a trace with ranks it makes those of the rank that this process is. `library` makes the calls of
// libraries with objects of their own: those of MPI in the programs weir-replay-*, without which such traces
// are refused, those for data (loaded before) everywhere.
Result<int> replay(const Plan& plan, const ReplayOptions& options, ReplayLibrary& library);

}  // namespace weir::proxy
