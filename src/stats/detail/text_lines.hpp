#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "stats/detail/line_reader.hpp"

namespace weir::stats::detail {

// Lines that carry something, with a look ahead: empty lines and those beginning with '#' are passed over.
class TextLines {
 public:
  explicit TextLines(LineReader& reader) : reader_(reader) {}

  // Makes at least `count` lines known where there are that many; they still come out of next().
  Result<void> look_ahead(std::size_t count);
  std::string_view ahead(std::size_t index) const {
    return index < ahead_.size() ? std::string_view(ahead_[index].text) : std::string_view();
  }
  Result<bool> next(std::string_view& line);
  // The very next line, whatever it holds: the rest of a quoted field.
  Result<bool> next_raw(std::string_view& line);
  std::size_t number() const { return number_; }

 private:
  struct Kept {
    std::string text;
    std::size_t number;
  };
  Result<bool> read(std::string_view& line);

  LineReader& reader_;
  std::deque<Kept> ahead_;
  std::string current_;
  std::size_t number_ = 0;
};

}  // namespace weir::stats::detail
