#include "cli/commands.hpp"

#include <array>

namespace weir::cli {

std::span<const Command* const> commands() {
  static constexpr std::array kCommands = {
      &kTrace, &kStat,   &kDump, &kVerify, &kMerge,  &kCheck, &kPatterns, &kProxy,      &kReplay, &kFs,
      &kBench, &kStripe, &kFit,  &kPlan,   &kDetect, &kMap,   &kDoctor,   &kCompletion, &kManual};
  return kCommands;
}

}  // namespace weir::cli
