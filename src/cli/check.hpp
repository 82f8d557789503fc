#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "cli/output.hpp"
#include "semantics/accesses.hpp"
#include "semantics/verdict.hpp"

namespace weir::cli {

// What `weir check` found, for people and for machines.
struct CheckView {
  const semantics::Accesses& accesses;
  const semantics::Verdict& verdict;
  std::optional<std::size_t> asked;  // the model that was asked about
  std::string asked_as;              // its name, or the file system's
  bool all_pairs = false;
  std::size_t top = 10;

  // A call of the trace as people read it: "pwrite(3</scratch/out.dat>, …, 64, 0)".
  std::string call_text(semantics::Event event) const;
};

void print_check(const CheckView& view, Output& out);
Json check_json(const CheckView& view);

}  // namespace weir::cli
