#include "monitor/formats/gluster_calls.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace weir::monitor::detail {

bool put_gluster_call(std::string_view name, double calls, double mean_seconds, Sink& sink) {
  std::array<char, 32> lower{};
  const auto fits = [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || name.size() > lower.size() || !std::ranges::all_of(name, fits)) return false;
  std::ranges::transform(name, lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  const std::string_view stem(lower.data(), name.size());
  if (stem != "read" && stem != "write") sink.add({stem, "_operations"}, calls);
  sink.add({stem, "_seconds"}, calls * mean_seconds);
  return true;
}

}  // namespace weir::monitor::detail
