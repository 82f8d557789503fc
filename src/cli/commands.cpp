#include "cli/commands.hpp"

#include <array>

namespace weir::cli {

std::span<const Command* const> commands() {
  static constexpr std::array<const Command*, 3> kCommands = {&kDoctor, &kCompletion, &kManual};
  return kCommands;
}

}  // namespace weir::cli
