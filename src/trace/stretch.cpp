#include "trace/stretch.hpp"

namespace weir::trace {

std::vector<Stretch> stretches(const TraceFile& trace) {
  constexpr std::uint64_t kMostRecords = 4 * kBlockRecords;
  std::vector<Stretch> made;
  for (std::size_t p = 0; p < trace.processes().size(); ++p) {
    const auto& streams = trace.processes()[p].streams;
    for (std::size_t s = 0; s < streams.size(); ++s) {
      for (const BlockInfo& block : streams[s].blocks) {
        const std::uint64_t end = block.first_record + block.records;
        if (!made.empty() && made.back().process == p && made.back().stream == s &&
            end - made.back().begin <= kMostRecords)
          made.back().end = end;
        else
          made.push_back({p, s, block.first_record, end});
      }
    }
  }
  return made;
}

}  // namespace weir::trace
