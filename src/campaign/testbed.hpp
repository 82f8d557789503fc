#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "base/scratch_dir.hpp"
#include "base/units.hpp"
#include "launch/guardian.hpp"

namespace weir::campaign {

// Throttled storage targets on one machine, made by the script `testbed` and taken down however this process
// ends. Their images lie in $TMPDIR where that is set, else in memory where there is room for them twice.
class Testbed {
 public:
  struct Options {
    std::uint32_t count = 1;
    Bytes size;  // room in each target
    Bytes rate;  // what may be written to each in a second
    // Dirty pages that may wait for each target. With it, whoever writes is throttled; without, this process
    // is put into a group that is, and what the kernel writes back later is not.
    std::optional<Bytes> dirty;
  };
  static Result<Testbed> up(const Options& options);
  ~Testbed();
  Testbed(Testbed&&) noexcept = default;
  Testbed& operator=(Testbed&&) noexcept = default;

  const std::vector<std::filesystem::path>& targets() const { return targets_; }
  Result<void> down();

 private:
  Testbed() = default;

  std::unique_ptr<ScratchDir> scratch_;
  std::filesystem::path script_, directory_;
  std::vector<std::filesystem::path> targets_;
  std::optional<launch::Guardian> guardian_;
};

}  // namespace weir::campaign
