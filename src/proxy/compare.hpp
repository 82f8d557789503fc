#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "trace/trace_file.hpp"

namespace weir::proxy {

struct CompareOptions {
  std::string root;  // of the proxy's files; empty: as its command line says
};

// Whether two runs made the same calls. Names are compared below the root, handles and objects by the order
// in which they come up; times and the numbers of descriptors, processes and addresses are not compared.
struct Comparison {
  struct Difference {
    std::int64_t rank = -1;
    std::size_t stream = 0;
    std::uint64_t call = 0;
    std::string original;  // empty: there is none
    std::string made;
  };

  std::size_t processes = 0;
  std::uint64_t calls = 0;  // of the original that a proxy makes
  std::uint64_t same = 0;
  std::uint64_t outcomes =
      0;  // the same call, but what had completed by then differs: that depends on the moment
  std::uint64_t differing = 0;       // including calls that one of the two does not have
  std::uint64_t inner_original = 0;  // calls inside calls: of MPI-IO on files, say
  std::uint64_t inner_made = 0;
  std::vector<Difference> first;  // of those that differ

  bool equal() const { return differing == 0; }
};

// `made` is the trace of a proxy of `original`.
Result<Comparison> compare(const trace::TraceFile& original, const trace::TraceFile& made,
                           const CompareOptions& options = {});

}  // namespace weir::proxy
