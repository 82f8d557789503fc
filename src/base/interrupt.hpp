#pragma once

#include "base/result.hpp"

namespace weir {

// Ctrl-C and SIGTERM ask long work to stop at the next safe point; a second one ends the program at once.
// A closed pipe is no signal but an error of the write that met it. What whoever started the program had it
// ignore (nohup, the background of a script) stays ignored.
void install_signal_manners();

bool is_ignored(int signal);
// Before the manners: programs that are started get what was.
bool pipe_signal_was_ignored();

bool interrupted();

// An Errc::interrupted error once the user asked to stop, for loops that return Results.
Result<void> check_interrupt();

}  // namespace weir
