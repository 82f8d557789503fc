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
// ends.
class Testbed {
 public:
  // Targets with room for `size` each, written at `rate` bytes a second at most. Puts this process into the
  // group that is throttled.
  static Result<Testbed> up(std::uint32_t count, Bytes size, Bytes rate);
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
