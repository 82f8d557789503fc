#pragma once

#include "cli/command.hpp"

namespace weir::cli {

extern const Command kStudy;

}  // namespace weir::cli
