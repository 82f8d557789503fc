#pragma once

#include "base/result.hpp"

namespace weir {

// Ctrl-C and SIGTERM ask long work to stop at the next safe point; a second one ends the program at once.
// A closed pipe is no signal but an error of the write that met it.
void install_signal_manners();

bool interrupted();

// An Errc::interrupted error once the user asked to stop, for loops that return Results.
Result<void> check_interrupt();

}  // namespace weir
