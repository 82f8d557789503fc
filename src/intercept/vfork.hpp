#pragma once

namespace weir {

// Runs before every vfork() of the program, in a library that has preload/vfork.cpp in it and defines this.
void before_vfork();

}  // namespace weir
