#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.hpp"
#include "base/result.hpp"
#include "trace/trace_file.hpp"

namespace weir::trace {

// Some blocks of a stream: what one thread reads while others read the rest.
struct Stretch {
  std::size_t process = 0;
  std::size_t stream = 0;
  std::uint64_t begin = 0;  // records
  std::uint64_t end = 0;
};

// All of a trace, in its order.
std::vector<Stretch> stretches(const TraceFile& trace);

// Sees records that are read for somebody else: they are decoded once.
class Onlooker {
 public:
  virtual ~Onlooker() = default;
  virtual void see(const Record& record) = 0;
  virtual void end() = 0;  // of its stretch; of one that is damaged too
};

struct StretchOptions {
  bool salvage = false;                                // go on behind damaged blocks
  std::function<void(std::uint64_t records)> advance;  // from any thread
};

// Calls visit(record, directory) for its records in their order. What was damaged and passed is named in
// `damage`.
template <class Visit>
Result<void> read_stretch(const TraceFile& trace, const Stretch& stretch, const StretchOptions& options,
                          std::vector<std::string>& damage, Visit&& visit) {
  constexpr std::uint64_t kTell = 1 << 14;
  RecordReader reader(trace, stretch.process, stretch.stream);
  reader.seek_record(stretch.begin);
  Record record;
  std::uint64_t done = 0;
  for (;;) {
    if (!reader.next(record)) {
      if (!reader.error()) break;
      const Error error =
          reader.error()->in(fmt::format("process {}, stream {}", stretch.process, stretch.stream));
      if (!options.salvage) return error;
      damage.push_back(error.text());
      reader.skip_damage();
      continue;
    }
    if (record.index >= stretch.end) break;
    visit(record, reader.directory());
    if (++done % kTell == 0) {
      if (options.advance) options.advance(kTell);
      if (interrupted()) return Error{Errc::interrupted, "interrupted"};
    }
  }
  if (options.advance) options.advance(done % kTell);
  return {};
}

}  // namespace weir::trace
