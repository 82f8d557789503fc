#pragma once

#include "cli/command.hpp"

namespace weir::cli {

extern const Command kBench;
extern const Command kCheck;
extern const Command kCompletion;
extern const Command kDetect;
extern const Command kDoctor;
extern const Command kDump;
extern const Command kFit;
extern const Command kFs;
extern const Command kInterfere;
extern const Command kManual;
extern const Command kMap;
extern const Command kMerge;
extern const Command kPatterns;
extern const Command kPlan;
extern const Command kProxy;
extern const Command kReplay;
extern const Command kReport;
extern const Command kRun;
extern const Command kStat;
extern const Command kStripe;
extern const Command kTrace;
extern const Command kVerify;

}  // namespace weir::cli
