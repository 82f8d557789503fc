#pragma once

#include <string_view>

namespace weir {

// How this binary was built; the same for every program and library of one build.
struct BuildFacts {
  std::string_view version;
  std::string_view build_type;
  std::string_view compiler;
  std::string_view sanitizers;  // empty in ordinary builds
  std::string_view built_with;  // optional packages, space separated: "mpi hdf5 ucx zfp"
};

BuildFacts build_facts();

}  // namespace weir
