#include "stats/detail/fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace weir::stats::detail {
namespace {

constexpr bool blank(char c) { return c == ' ' || c == '\t'; }

// Occurrences of `c` outside quotes.
std::size_t occurrences(std::string_view line, char c) {
  std::size_t count = 0;
  bool quoted = false;
  for (const char at : line) {
    if (at == '"') quoted = !quoted;
    if (at == c && !quoted) ++count;
  }
  return count;
}

std::size_t blank_fields(std::string_view line) {
  FieldSplitter splitter(' ');
  splitter.split(line);
  return splitter.fields().size();
}

// Plain decimals of at most 15 digits, exactly: both the digits and the power of ten are whole numbers a
// double holds, so one division rounds once (Clinger 1990). False for all else, which from_chars reads.
bool parse_plain(std::string_view text, double& value) {
  static constexpr std::array<double, 16> kPowers{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  if (text.size() > 16) return false;
  std::uint64_t digits = 0;
  std::size_t count = 0;
  std::size_t after_point = 0;
  bool point = false;
  for (const char c : text) {
    const auto digit = static_cast<unsigned>(c) - static_cast<unsigned>('0');
    if (digit <= 9) {
      digits = digits * 10 + digit;
      ++count;
      after_point += point ? 1 : 0;
    } else if (c == '.' && !point) {
      point = true;
    } else {
      return false;
    }
  }
  if (count == 0 || count > 15) return false;
  value = static_cast<double>(digits);
  if (after_point > 0) value /= kPowers[after_point];
  return true;
}

bool equal_ignoring_case(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() && std::equal(a.begin(), a.end(), lower.begin(), [](char x, char y) {
           return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
         });
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool FieldSplitter::split(std::string_view line) {
  fields_.clear();
  if (line.find('"') != std::string_view::npos) return split_quoted(line);
  if (delimiter_ == ' ') {
    split_blanks(line);
    return true;
  }
  std::size_t begin = 0;
  while (true) {
    const std::size_t stop = line.find(delimiter_, begin);
    fields_.push_back(trim(line.substr(begin, stop - begin)));
    if (stop == std::string_view::npos) return true;
    begin = stop + 1;
  }
}

void FieldSplitter::split_blanks(std::string_view line) {
  for (std::size_t at = 0; at < line.size();) {
    while (at < line.size() && blank(line[at])) ++at;
    const std::size_t begin = at;
    while (at < line.size() && !blank(line[at])) ++at;
    if (at > begin) fields_.push_back(line.substr(begin, at - begin));
  }
}

bool FieldSplitter::split_quoted(std::string_view line) {
  unquoted_.clear();
  unquoted_.reserve(line.size());  // views into it stay good: it cannot outgrow the line
  const auto ends_field = [&](char c) { return delimiter_ == ' ' ? blank(c) : c == delimiter_; };
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && blank(line[at]) && !(delimiter_ == '\t' && line[at] == '\t')) ++at;
    if (at == line.size() && delimiter_ == ' ') return true;
    if (at < line.size() && line[at] == '"') {
      const std::size_t begin = unquoted_.size();
      for (++at;; ++at) {
        if (at == line.size()) return false;
        if (line[at] == '"') {
          if (at + 1 == line.size() || line[at + 1] != '"') break;
          ++at;
        }
        unquoted_ += line[at];
      }
      fields_.push_back(std::string_view(unquoted_).substr(begin));
      while (at < line.size() && !ends_field(line[at])) ++at;
    } else {
      const std::size_t begin = at;
      while (at < line.size() && !ends_field(line[at])) ++at;
      fields_.push_back(trim(line.substr(begin, at - begin)));
    }
    if (at == line.size()) return true;
    ++at;
  }
}

char find_delimiter(std::string_view first, std::string_view second) {
  char best = FieldSplitter::kNoDelimiter;
  std::size_t most = 0;
  for (const char c : {'\t', ';', ',', '|'}) {
    const std::size_t count = occurrences(first, c);
    if (count > most) {
      most = count;
      best = c;
    }
  }
  if (most > 0) return best;
  // Blanks may also belong to the one column's name: believe them when the next line agrees.
  const std::size_t fields = blank_fields(first);
  if (fields > 1 && (second.empty() || blank_fields(second) == fields)) return ' ';
  return FieldSplitter::kNoDelimiter;
}

Number parse_number(std::string_view text) {
  Number number;
  if (parse_plain(text, number.value)) {
    number.good = true;
    return number;
  }
  if (text.empty()) {
    number.problem = ProblemKind::missing;
    return number;
  }
  const char* first = text.data();
  const char* const last = first + text.size();
  if (*first == '+' && text.size() > 1 && first[1] != '-') ++first;  // from_chars takes no plus sign
  const auto [stop, failure] = std::from_chars(first, last, number.value);
  if (stop == last && failure == std::errc{} && std::isfinite(number.value)) {
    number.good = true;
  } else if (stop == last && failure == std::errc::result_out_of_range) {
    number.problem = ProblemKind::infinite;
  } else if (stop == last && failure == std::errc{}) {
    number.problem = std::isnan(number.value) ? ProblemKind::nan : ProblemKind::infinite;
  } else {
    constexpr std::array<std::string_view, 5> kNoValue{"na", "n/a", "null", "none", "-"};
    for (const std::string_view word : kNoValue)
      if (equal_ignoring_case(text, word)) number.problem = ProblemKind::missing;
  }
  return number;
}

}  // namespace weir::stats::detail
