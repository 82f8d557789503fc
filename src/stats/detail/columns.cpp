#include "stats/detail/columns.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include <fmt/format.h>

namespace weir::stats::detail {
namespace {

constexpr std::size_t kListedNames = 12;
constexpr std::size_t kLongestCompared = 64;  // the distance table is quadratic; names are short

std::string lower(std::string_view text) {
  std::string out(text.substr(0, kLongestCompared));
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kListedNames; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", names[i]);
  if (names.size() > kListedNames) text += fmt::format(", ... {} in all", names.size());
  return text;
}

}  // namespace

Columns Columns::numbered(std::size_t count) {
  std::vector<std::string> names(count);
  for (std::size_t i = 0; i < count; ++i) names[i] = std::to_string(i + 1);
  return {std::move(names), false};
}

Result<std::size_t> Columns::find(std::string_view wanted) const {
  const auto found = std::find(names_.begin(), names_.end(), wanted);
  if (found != names_.end()) {
    if (std::find(found + 1, names_.end(), wanted) != names_.end())
      return Error{Errc::usage, fmt::format("more than one column is called '{}'", wanted)}.with_remedy(
          "name it by its number, from 1");
    return static_cast<std::size_t>(found - names_.begin());
  }
  std::size_t number = 0;
  const auto [stop, failure] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  if (failure == std::errc{} && stop == wanted.data() + wanted.size() && number >= 1) {
    if (number <= names_.size()) return number - 1;
    return Error{Errc::not_found, fmt::format("no column {}; there are {}", number, names_.size())};
  }
  if (!named_)
    return Error{
        Errc::not_found,
        fmt::format("no column '{}': the file has no header line; name its columns by number, 1 to {}",
                    wanted, names_.size())};
  return no_column(wanted, names_);
}

std::string Columns::list() const { return join(names_); }

bool numbered_after(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  if (!name.empty() && std::string_view("_-. ").find(name.front()) != std::string_view::npos)
    name.remove_prefix(1);
  return !name.empty() && name.front() >= '0' && name.front() <= '9';
}

std::string_view nearest(std::string_view wanted, const std::vector<std::string>& names) {
  const std::string target = lower(wanted);
  std::string_view best;
  std::size_t least = ~std::size_t{0};
  for (const std::string& candidate : names) {
    const std::string other = lower(candidate);
    std::size_t distance = 2 * edit_distance(target, other);
    const bool contained =
        !target.empty() && !other.empty() &&
        (other.find(target) != std::string::npos || target.find(other) != std::string::npos);
    if (contained) distance = std::min<std::size_t>(distance, 1);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

Error no_column(std::string_view wanted, const std::vector<std::string>& names) {
  if (names.empty()) return {Errc::not_found, fmt::format("no column '{}', nor any other", wanted)};
  return {Errc::not_found, fmt::format("no column '{}'; nearest is '{}' (columns: {})", wanted,
                                       nearest(wanted, names), join(names))};
}

}  // namespace weir::stats::detail
