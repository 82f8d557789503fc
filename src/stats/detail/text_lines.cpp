#include "stats/detail/text_lines.hpp"

#include <utility>

namespace weir::stats::detail {

Result<bool> TextLines::read(std::string_view& line) {
  for (;;) {
    auto more = reader_.next(line);
    if (!more || !*more) return more;
    const std::size_t start = line.find_first_not_of(" \t");
    if (start != std::string_view::npos && line[start] != '#') return true;
  }
}

Result<void> TextLines::look_ahead(std::size_t count) {
  std::string_view line;
  while (ahead_.size() < count) {
    const auto more = read(line);
    if (!more) return more.error();
    if (!*more) break;
    ahead_.push_back({std::string(line), reader_.number()});
  }
  return {};
}

Result<bool> TextLines::next(std::string_view& line) {
  if (ahead_.empty()) {
    auto more = read(line);
    number_ = reader_.number();
    return more;
  }
  current_ = std::move(ahead_.front().text);
  number_ = ahead_.front().number;
  ahead_.pop_front();
  line = current_;
  return true;
}

Result<bool> TextLines::next_raw(std::string_view& line) {
  if (!ahead_.empty()) return next(line);
  auto more = reader_.next(line);
  number_ = reader_.number();
  return more;
}

}  // namespace weir::stats::detail
