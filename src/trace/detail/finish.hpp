#pragma once

#include <string>
#include <vector>

#include "grammar/merge.hpp"
#include "trace/communicator.hpp"
#include "trace/detail/partial.hpp"
#include "trace/tables.hpp"

namespace weir::trace::detail {

// What a trace is made of, numbered and ordered as it is written.
struct Finished {
  Tables tables;
  Classes classes;
  grammar::MergedGrammars grammars;
  std::vector<Communicator> communicators;
  std::vector<ProcessInfo> processes;  // pieces as they were numbered when the blocks were made
  std::vector<std::string> warnings;
};

// Puts the processes of a run in order and numbers everything by its first appearance there, so that the
// order in which they were joined does not show. Ranks stand together in their order; parents come before
// children.
Result<Finished> finish(Partial all);

}  // namespace weir::trace::detail
