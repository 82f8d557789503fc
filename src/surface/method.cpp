#include "surface/method.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weir::surface {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 5> kMethods = {{{Method::linear, "lm"},
                                                                          {Method::shepard, "lsp"},
                                                                          {Method::mars, "mars"},
                                                                          {Method::delaunay, "delaunay"},
                                                                          {Method::gaussian, "gp"}}};

}  // namespace

std::string_view name(Method method) {
  for (const auto& [known, word] : kMethods)
    if (known == method) return word;
  return "?";
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& [known, word] : kMethods) names.emplace_back(word);
  return names;
}

Result<Method> parse_method(std::string_view text) {
  for (const auto& [known, word] : kMethods)
    if (word == text) return known;
  return Error{Errc::usage, fmt::format("no method '{}'", text)}.with_remedy(
      fmt::format("use {}", fmt::join(method_names(), ", ")));
}

}  // namespace weir::surface
