#pragma once

#include "cli/command.hpp"

namespace weir::cli {

extern const Command kCompletion;
extern const Command kDoctor;
extern const Command kManual;

}  // namespace weir::cli
