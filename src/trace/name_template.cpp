#include "trace/name_template.hpp"

#include <charconv>

#include "trace/detail/name_marks.hpp"

namespace weir::trace {

using detail::kEscape;
using detail::kMostDigits;
using detail::kNumber;
using detail::kProcess;

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
        put_number(next < numbers.size() ? numbers[next] : 0,
                   static_cast<std::size_t>(name_template[i] - '0'));
        ++next;
        break;
      case kProcess:
        put_number(process_id, 0);
        break;
      case kEscape:
        out.push_back(name_template[++i]);
        break;
      default:
        out.push_back(c);
    }
  }
}

}  // namespace weir::trace
