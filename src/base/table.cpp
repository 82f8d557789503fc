#include "base/table.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "base/terminal.hpp"

namespace weir {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;  // a shrunk column still says something

void append_cell(std::string& line, std::string_view cell, std::size_t width, Table::Trait trait) {
  const std::string shown = shorten(cell, width);
  const std::size_t padding = width - display_width(shown);
  if (trait == Table::right) line.append(padding, ' ');
  line += shown;
  if (trait != Table::right) line.append(padding, ' ');
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) { WEIR_CHECK(!columns_.empty()); }

void Table::row(std::vector<std::string> cells) {
  WEIR_CHECK(cells.size() == columns_.size(), "{} cells in a table of {} columns", cells.size(),
             columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::rule() { rows_.emplace_back(); }

std::vector<std::size_t> Table::widths(std::size_t total) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = display_width(columns_[c].title);
    for (const auto& row : rows_)
      if (!row.empty()) widest = std::max(widest, display_width(row[c]));
    widths.push_back(widest);
  }
  std::size_t used = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  while (used > total) {
    std::size_t* widest = nullptr;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (columns_[c].trait == shrinks && widths[c] > kNarrowest &&
          (widest == nullptr || widths[c] > *widest))
        widest = &widths[c];
    if (widest == nullptr) break;
    --*widest;
    --used;
  }
  return widths;
}

std::string Table::text(std::size_t width) const {
  const std::vector<std::size_t> columns = widths(width);
  const std::size_t total = std::accumulate(columns.begin(), columns.end(), kGap * (columns.size() - 1));
  std::string text;
  const auto append_line = [&](auto&& cell_of) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) line.append(kGap, ' ');
      append_cell(line, cell_of(c), columns[c], columns_[c].trait);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  const auto append_rule = [&] {
    for (std::size_t i = 0; i < std::min(total, width); ++i) text += "─";
    text += '\n';
  };

  append_line([&](std::size_t c) -> std::string_view { return columns_[c].title; });
  append_rule();
  for (const auto& row : rows_) {
    if (row.empty())
      append_rule();
    else
      append_line([&](std::size_t c) -> std::string_view { return row[c]; });
  }
  return text;
}

}  // namespace weir
