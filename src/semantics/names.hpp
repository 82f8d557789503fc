#pragma once

#include <cstdint>
#include <vector>

#include "semantics/accesses.hpp"
#include "semantics/precedence.hpp"

namespace weir::semantics {

// One process relies on a name that another one made, changed or removed.
struct NameDependency {
  NameUse change;
  NameUse use;
  bool race = false;  // nothing orders them: what the second finds depends on who is faster
};

struct NameFindings {
  std::uint64_t dependencies = 0;  // in order: they need a file system that shows names to all at once
  std::uint64_t races = 0;
  std::vector<NameDependency> examples;  // the first ones, of each name once
};

// Creating, renaming, linking, removing and cutting off against opening what is there, looking it up and
// reading its directory. An open that would have made the file itself relies on nobody.
NameFindings find_name_dependencies(const Accesses& accesses, const Precedence& precedence,
                                    std::size_t examples = 10);

}  // namespace weir::semantics
