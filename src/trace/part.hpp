#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "trace/merge.hpp"
#include "trace/run_clock.hpp"

namespace weir::trace {

// How times are kept, as a setting of a process and as a mark of what was merged by it: "quant,0.1,clustered"
// and then "fsync=0.01" for each function with a bound of its own.
std::string timing_text(const MergeOptions& options);
Result<void> take_timing_text(std::string_view text, MergeOptions& options);

// Some processes of a run, merged while they still run: what they have come to so far. Parts are joined in
// pairs; the trace is made of them by merge_run(), which merges anew what has gone on since.
class RunPart {
 public:
  RunPart();  // of no process
  RunPart(RunPart&&) noexcept;
  RunPart& operator=(RunPart&&) noexcept;
  ~RunPart();

  // The calling process. Its blocks go to a file beside its lanes.
  static Result<RunPart> of_process(const std::filesystem::path& directory, std::uint64_t start_tick,
                                    std::uint64_t process, const MergeOptions& options,
                                    const RunClock& clock);

  // Parts of other clocks, timings or call tables are left out: they would not be the same bytes.
  void join(RunPart other);

  std::vector<std::byte> bytes() const;
  static Result<RunPart> parse(ByteSpan bytes);

  // For merge_run(), under the name of the process that has it.
  Result<void> write(const std::filesystem::path& directory, std::uint64_t start_tick,
                     std::uint64_t process) const;

  struct Inside;
  const Inside& inside() const { return *inside_; }
  Inside& inside() { return *inside_; }

 private:
  std::unique_ptr<Inside> inside_;
};

}  // namespace weir::trace
