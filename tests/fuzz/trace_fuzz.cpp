// Feeds arbitrary traces to the reader and reads every record of those that open. An input that begins like a
// trace is taken as the file it is; any other is a plain trace (plain_trace.hpp), so that what lies behind
// checksums and compression is reached too.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "plain_trace.hpp"
#include "trace/record_text.hpp"
#include "trace/records.hpp"
#include "trace/summary.hpp"

namespace {

constexpr std::uint64_t kMostRecords = 10'000;  // a grammar of a few bytes may stand for billions

void read_all(const weir::trace::TraceFile& trace) {
  weir::trace::Selection all;
  all.salvage = true;
  weir::trace::Records records(trace, all);
  weir::trace::Records::Item item;
  fmt::memory_buffer text;
  std::string made;
  for (std::uint64_t n = 0; n < kMostRecords && records.next(item); ++n) {
    text.clear();
    append_call(text, *item.record);
    append_result(text, *item.record);
    (void)bytes_moved(*item.record);
    (void)absolute_file(*item.record, item.directory, made);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = weir::fuzz::path_of(data, size);
  if (path.empty()) return 0;
  for (const bool salvage : {false, true}) {
    const auto trace = weir::trace::TraceFile::open(path, {.salvage = salvage});
    if (!trace) continue;
    (void)trace->facts().dump();
    read_all(*trace);
    break;
  }
  return 0;
}
