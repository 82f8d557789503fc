#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <string_view>

#include "calls/call.hpp"

namespace weir {

// The function that a program would have called without us, for each exported name.
//
// A preload library looks up all names of its layers while it is loaded (find_layer_now), so that later calls
// only read a pointer: dlsym is not safe in a signal handler and would clear the program's pending dlerror().
// A call that comes earlier still, from the constructor of a library that is initialised before us, looks up
// its own name.

namespace detail {
extern constinit std::array<std::atomic<void*>, kSymbolCount> real_functions;
void* find_real_now(Symbol symbol);
}  // namespace detail

// The address behind `symbol`; stops the process, with a line that names it, if no loaded library has it
// (without us the dynamic linker would have done the same).
[[gnu::always_inline]] inline void* real_address(Symbol symbol) {
  void* const found =
      detail::real_functions[static_cast<std::size_t>(symbol)].load(std::memory_order_acquire);
  if (found != nullptr) [[likely]]
    return found;
  return detail::find_real_now(symbol);
}

// Looks up every name of the layer that some library has; the others wait for a call, as a library may come
// later by dlopen.
void find_layer_now(Layer layer);

// Whether a library whose file name begins so ("liburing.so") is loaded. Allocates nothing, which dlsym does
// when it fails: a program with an allocator of its own would see it.
bool is_loaded(std::string_view library);

// The next definition of `name` after the calling library, else one in any library that was loaded in a scope
// of its own (dlopen with RTLD_LOCAL, as Python does with its modules); null when there is none.
void* search_real(const char* name);

// A variable of a library as the program sees it: the linker may have put a copy into the program itself,
// which is then the one that counts. Null when there is none.
void* search_variable(const char* name);

}  // namespace weir
