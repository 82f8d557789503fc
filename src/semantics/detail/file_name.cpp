#include "semantics/detail/file_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

namespace weir::semantics::detail {

std::string normal_name(std::string_view name) {
  const bool plain = name.find("//") == std::string_view::npos && name.find("/.") == std::string_view::npos;
  if (plain) return std::string(name);
  return std::filesystem::path(name).lexically_normal().string();
}

bool names_a_file(std::string_view name) {
  if (!name.starts_with('/')) return false;
  if (name.starts_with("/dev/shm/")) return true;
  constexpr std::array<std::string_view, 3> made_up = {"/dev/", "/proc/", "/sys/"};
  return std::none_of(made_up.begin(), made_up.end(),
                      [&](std::string_view folder) { return name.starts_with(folder); });
}

std::string_view without_file_system(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos || colon < 2 || name.find('/') < colon) return name;
  const bool word = std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(colon),
                                [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
  return word ? name.substr(colon + 1) : name;
}

}  // namespace weir::semantics::detail
