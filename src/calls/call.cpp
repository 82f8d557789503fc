#include "calls/call.hpp"

namespace weir {

std::optional<Call> find_call(std::string_view name) {
  for (const SymbolInfo& symbol : generated::kSymbols)
    if (symbol.name == name) return symbol.call;
  return std::nullopt;
}

std::optional<Layer> find_layer(std::string_view name) {
  for (std::size_t i = 0; i < kLayerCount; ++i)
    if (generated::kLayers[i] == name) return static_cast<Layer>(i);
  return std::nullopt;
}

}  // namespace weir
