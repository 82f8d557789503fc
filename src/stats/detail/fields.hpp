#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stats/samples.hpp"

namespace weir::stats::detail {

// Cuts lines of delimited text into fields. A field is quoted when its first character is '"'; inside, ""
// stands for one quote. The delimiter ' ' means any run of blanks and tabs, kNoDelimiter one field a line.
class FieldSplitter {
 public:
  static constexpr char kNoDelimiter = '\n';

  explicit FieldSplitter(char delimiter) : delimiter_(delimiter) {}

  // False when the line ends inside a quoted field, which then goes on in the next line.
  bool split(std::string_view line);
  // Of the last line, blanks around unquoted fields removed; valid while that line is.
  const std::vector<std::string_view>& fields() const { return fields_; }

 private:
  bool split_quoted(std::string_view line);
  void split_blanks(std::string_view line);

  char delimiter_;
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // fields that had to be rewritten
};

// The delimiter that fits the first two lines (the second may be empty).
char find_delimiter(std::string_view first, std::string_view second);

// A number, or what is wrong with the text. All of the text must be used; "nan", "inf" and the usual words
// for "no value" are told apart from other text.
struct Number {
  double value = 0;
  bool good = false;
  ProblemKind problem = ProblemKind::text;
};
Number parse_number(std::string_view text);

std::string_view trim(std::string_view text);

}  // namespace weir::stats::detail
