#include "trace/detail/name_marks.hpp"
#include "trace/name_template.hpp"

// Apart from name_template.cpp, whose errors need formatting that a preload library must not link.
namespace weir::trace {

void NameTemplate::split(std::string_view name, std::int64_t process_id, bool fixed_width) {
  length_ = 0;
  count_ = 0;
  widenable_ = false;
  cut_ = name.size() > kLongest;
  if (cut_) name = name.substr(0, kLongest);
  for (std::size_t i = 0; i < name.size();) {
    const char c = name[i];
    if (!detail::is_digit(c)) {
      if (c >= detail::kNumber && c <= detail::kEscape) put(detail::kEscape);
      put(c);
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < name.size() && detail::is_digit(name[end])) ++end;
    const std::size_t digits = end - i;
    std::int64_t value = 0;
    if (digits <= detail::kMostDigits)
      for (std::size_t k = i; k < end; ++k) value = 10 * value + (name[k] - '0');
    const bool padded = c == '0' && digits > 1;
    if (digits <= detail::kMostDigits && value == process_id && !padded) {
      put(detail::kProcess);
    } else if (digits > detail::kMostDigits || count_ == kNumbers) {
      for (; i < end; ++i) put(name[i]);
    } else {
      if (!padded) widenable_ = true;
      put(detail::kNumber);
      put(static_cast<char>('0' + (padded || fixed_width ? digits : 0)));
      numbers_[count_++] = value;
    }
    i = end;
  }
}

}  // namespace weir::trace
