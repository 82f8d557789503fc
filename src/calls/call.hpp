#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "calls/generated/ids.hpp"
#include "calls/items.hpp"
#include "calls/made.hpp"
#include "calls/role.hpp"

namespace weir {

// Call, Layer and Symbol are made from calls/*.calls: a Call per row, a Layer per table, and a Symbol per
// exported name, so that open and open64 are two symbols of one call.

struct Argument {
  std::string_view name;
  std::string_view type;
  Role role;
  Direction direction;
  Items many;         // how many a pointer points to, where another argument tells
  std::size_t items;  // else: 2 for int ends[2], mostly 1
};

struct CallInfo {
  std::string_view name;
  std::string_view result_type;
  std::size_t first_argument;  // see arguments()
  std::size_t argument_count;
  Call means;     // itself, or the call this is another shape of; arguments of one name are the same ones
  Symbol symbol;  // its own name
  Layer layer;
  Role result;
  Made makes;        // what is behind the handle it opens
  Standard on;       // the stream it acts on without being given it
  bool opens;        // makes a handle
  bool closes;       // ends the handle it is given
  bool closes_many;  // ends all descriptors from its first number on; all streams if it has none
  bool variadic;     // the last argument stands for C's '...' in the real function
  bool leaves;       // does not return when it succeeds
  bool starts;       // makes a request that a later call completes
  bool persistent;   // makes one that is started and completed many times
  bool completes;    // completes requests it is given
  bool agrees;       // makes a communicator
  bool collective;   // made by all processes of its communicator, file or window
  Failure failure;
};

struct SymbolInfo {
  const char* name;       // as the dynamic linker knows it
  const char* real_name;  // what it calls in the end; its own name but for rows with @real
  Call call;
};

}  // namespace weir

#include "calls/generated/table.hpp"

namespace weir {

constexpr const CallInfo& info(Call call) { return generated::kCalls[static_cast<std::size_t>(call)]; }
constexpr const SymbolInfo& info(Symbol symbol) {
  return generated::kSymbols[static_cast<std::size_t>(symbol)];
}
constexpr std::string_view name(Call call) { return info(call).name; }
constexpr std::string_view name(Layer layer) { return generated::kLayers[static_cast<std::size_t>(layer)]; }

constexpr std::span<const Argument> arguments(Call call) {
  return std::span(generated::kArguments).subspan(info(call).first_argument, info(call).argument_count);
}

// Where the argument of that name stands: a fortified shape (means) has the arguments of the call it means
// among its own, at other places. argument_count when it has none of that name.
constexpr std::size_t find_argument(Call call, std::string_view name) {
  const std::span<const Argument> all = arguments(call);
  std::size_t at = 0;
  while (at < all.size() && all[at].name != name) ++at;
  return at;
}

// By the name of its row or by any name it is exported under: find_call("open64") is Call::open.
std::optional<Call> find_call(std::string_view name);
std::optional<Layer> find_layer(std::string_view name);

}  // namespace weir
