#include "cli/commands.hpp"

#include <array>

#include "cli/study.hpp"

namespace weir::cli {

std::span<const Command* const> commands() {
  static constexpr std::array kCommands = {&kTrace,    &kStat,  &kDump,   &kVerify,     &kMerge, &kCheck,
                                           &kPatterns, &kProxy, &kReplay, &kFs,         &kRun,   &kBench,
                                           &kStripe,   &kFit,   &kPlan,   &kDetect,     &kMap,   &kInterfere,
                                           &kReport,   &kStudy, &kDoctor, &kCompletion, &kManual};
  return kCommands;
}

}  // namespace weir::cli
