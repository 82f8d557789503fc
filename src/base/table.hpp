#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

// A text table that aligns and fits the terminal. Numbers stand right, words left; when the whole is too
// wide, the columns that may shrink are cut with "…", the widest first.
//   Table table({{"family"}, {"components", Table::right}, {"note", Table::shrinks}});
//   table.row({"gamma", "2", "scale floor hit"});
//   fmt::print("{}", table.text(terminal_width(STDOUT_FILENO, 100)));
class Table {
 public:
  enum Trait { left, right, shrinks };  // a shrinking column is aligned left

  struct Column {
    std::string title;
    Trait trait = left;
  };

  explicit Table(std::vector<Column> columns);

  // As many cells as columns.
  void row(std::vector<std::string> cells);
  void rule();  // a line between rows

  bool empty() const { return rows_.empty(); }
  // Ends with a newline. No trailing blanks, so that it can be compared and pasted.
  std::string text(std::size_t width) const;

 private:
  std::vector<std::size_t> widths(std::size_t total) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty one is a rule
};

}  // namespace weir
