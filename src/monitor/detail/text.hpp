#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::monitor::detail {

// Cuts the next line off `rest`. False at the end.
inline bool next_line(std::string_view& rest, std::string_view& line) {
  if (rest.empty()) return false;
  const std::size_t end = rest.find('\n');
  line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

// Cuts the next word off `rest`; empty at the end.
inline std::string_view next_word(std::string_view& rest) {
  constexpr std::string_view kBlank = " \t";
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_of(kBlank));
  rest.remove_prefix(word.size());
  return word;
}

inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// A whole number from 0 up to 2^64 - 1 and nothing else.
inline std::optional<std::uint64_t> whole(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// A finite number that is not negative.
inline std::optional<double> real(std::string_view word) {
  double value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  if (!std::isfinite(value) || std::signbit(value)) return std::nullopt;
  return value;
}

// Counts beyond 2^53 (nine petabytes) lose their last digits here.
inline double number(std::uint64_t count) { return static_cast<double>(count); }

// For messages: at most 80 characters, unprintable ones as '?'.
std::string excerpt(std::string_view line);

}  // namespace weir::monitor::detail
