#pragma once

// What every generated shim file includes. WEIR_HANDLER is the header of the library's handler, set by
// weir_preload_library(); it defines the type weir::Handler with
//
//   template <Call C, class Real, class... Args> static auto around(Real real, Args... args);
//
// which does the real call by real(args...), or answers itself, and returns what the program gets. It runs on
// the program's threads, in its signal handlers and in its forked and vforked children: it must not block on
// what the same thread may hold, and a longjmp may end it at any instruction. Its own I/O is not intercepted,
// errno is kept for it.
#include <cstdarg>
#include <cstdint>

#include "intercept/dispatch.hpp"
#include "intercept/variadic.hpp"

#ifndef WEIR_HANDLER
#error "shims are built by weir_preload_library(), which names the handler's header"
#endif
#include WEIR_HANDLER

#define WEIR_EXPORT __attribute__((visibility("default"), used))

// Priority 101, the first an application may use: before the constructors of the handler.
#define WEIR_FIND_LAYER_AT_START(layer) \
  [[gnu::constructor(101)]] static void find_layer_at_start() { weir::find_layer_now(weir::Layer::layer); }

// For the layer of a library that a program may lack or load later: a call looks up its own name then.
#define WEIR_FIND_LAYER_IF_LOADED(layer, library)                           \
  [[gnu::constructor(101)]] static void find_layer_at_start() {             \
    if (weir::is_loaded(library)) weir::find_layer_now(weir::Layer::layer); \
  }

namespace weir {

// S is the name the program called by, where it is not the row's own.
template <Call C, class Signature, Symbol S = info(C).symbol, class... Args>
[[gnu::always_inline]] inline auto intercept(Args... args) {
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return Dispatch<Handler, C, S, Signature>::run(frame, args...);
}

}  // namespace weir
