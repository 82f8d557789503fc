#pragma once

#include <string>

namespace weir::campaign {

// What rows of this machine are called: its host name.
std::string machine_name();

}  // namespace weir::campaign
