#include "trace/name_template.hpp"

#include <algorithm>
#include <charconv>

namespace weir::trace {
namespace {

constexpr char kNumber = 1;
constexpr char kProcess = 2;
constexpr char kEscape = 3;
constexpr std::size_t kMostDigits = 18;  // always fits 64 bits

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void NameTemplate::split(std::string_view name, std::int64_t process_id, bool fixed_width) {
  length_ = 0;
  count_ = 0;
  widenable_ = false;
  cut_ = name.size() > kLongest;
  if (cut_) name = name.substr(0, kLongest);
  for (std::size_t i = 0; i < name.size();) {
    const char c = name[i];
    if (!is_digit(c)) {
      if (c >= kNumber && c <= kEscape) put(kEscape);
      put(c);
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < name.size() && is_digit(name[end])) ++end;
    const std::size_t digits = end - i;
    std::int64_t value = 0;
    if (digits <= kMostDigits)
      for (std::size_t k = i; k < end; ++k) value = 10 * value + (name[k] - '0');
    const bool padded = c == '0' && digits > 1;
    if (digits > kMostDigits || (count_ == kNumbers && value != process_id)) {
      for (; i < end; ++i) put(name[i]);
    } else if (value == process_id && !padded) {
      put(kProcess);
    } else {
      if (!padded) widenable_ = true;
      put(kNumber);
      put(static_cast<char>('0' + (padded || fixed_width ? digits : 0)));
      numbers_[count_++] = value;
    }
    i = end;
  }
}

Result<std::size_t> count_numbers(std::string_view name_template) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < name_template.size(); ++i) {
    const char c = name_template[i];
    if (c != kNumber && c != kEscape) continue;
    if (++i == name_template.size()) return Error{Errc::bad_data, "a name template ends in the middle"};
    if (c == kEscape) continue;
    const int width = name_template[i] - '0';
    if (width < 0 || width > static_cast<int>(kMostDigits))
      return Error{Errc::bad_data, "a name template has a number of a strange width"};
    ++count;
  }
  if (count > NameTemplate::kNumbers) return Error{Errc::bad_data, "a name template has too many numbers"};
  return count;
}

void expand(std::string_view name_template, std::span<const std::int64_t> numbers, std::int64_t process_id,
            std::string& out) {
  std::size_t next = 0;
  const auto put_number = [&](std::int64_t value, std::size_t width) {
    char digits[24];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    const auto length = static_cast<std::size_t>(end - digits);
    if (length < width) out.append(width - length, '0');
    out.append(digits, length);
  };
  for (std::size_t i = 0; i < name_template.size(); ++i) {
    switch (const char c = name_template[i]) {
      case kNumber:
        ++i;
        put_number(next < numbers.size() ? numbers[next] : 0, static_cast<std::size_t>(name_template[i] - '0'));
        ++next;
        break;
      case kProcess: put_number(process_id, 0); break;
      case kEscape: out.push_back(name_template[++i]); break;
      default: out.push_back(c);
    }
  }
}

}  // namespace weir::trace
