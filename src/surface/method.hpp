#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "surface/predictor.hpp"

namespace weir::surface {

enum class Method { linear, shepard, mars, delaunay, gaussian };

std::string_view name(Method method);  // "lm", "lsp", "mars", "delaunay", "gp"
Result<Method> parse_method(std::string_view text);
std::vector<std::string> method_names();

// What a method can be told. What it is not told it finds by itself.
struct MethodOptions {
  bool interactions = false;          // lm
  int degree = 3;                     // mars: factors in one term
  int terms = 0;                      // mars: of the forward pass; 0: as earth
  std::uint64_t seed = 1;             // gp: which points its parameters are fitted on
  std::vector<double> settings = {};  // gp: parameters found before, instead of a search
};

}  // namespace weir::surface
