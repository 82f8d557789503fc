// Makes sense of arbitrary traces: accesses, order, patterns and the verdict of every model, by the sweep and
// by all pairs, which must agree. Inputs are those of trace_fuzz.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.hpp"
#include "plain_trace.hpp"
#include "semantics/names.hpp"
#include "semantics/patterns.hpp"
#include "semantics/program_order.hpp"
#include "semantics/verdict.hpp"

namespace {

constexpr std::uint64_t kMostRecords = 5'000;  // a grammar of a few bytes may stand for billions
constexpr std::uint64_t kMostPaired = 300;

void judge(const weir::trace::TraceFile& trace) {
  weir::semantics::RebuildOptions how;
  how.threads = 1;
  how.salvage = true;
  const auto accesses = weir::semantics::rebuild({&trace, &trace}, how);  // a workflow of the same twice
  if (!accesses) return;
  (void)weir::semantics::find_patterns(*accesses);
  const weir::semantics::ProgramOrder order(*accesses);
  (void)weir::semantics::find_name_dependencies(*accesses, order, 10);
  weir::semantics::VerdictOptions options;
  options.threads = 1;
  const auto swept = weir::semantics::judge(*accesses, {}, order, options);
  if (accesses->access_count > kMostPaired) return;
  options.conflicts.all_pairs = true;
  const auto paired = weir::semantics::judge(*accesses, {}, order, options);
  if (swept.sufficient != paired.sufficient || (swept.races > 0) != (paired.races > 0)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = weir::fuzz::path_of(data, size);
  if (path.empty()) return 0;
  const auto trace = weir::trace::TraceFile::open(path, {.salvage = true});
  if (trace && trace->records() <= kMostRecords) judge(*trace);
  return 0;
}
