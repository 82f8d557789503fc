#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir::stats::detail {

// The columns of a table by name and number.
class Columns {
 public:
  // `named`: the names come from the input; otherwise they are the numbers 1, 2, ...
  Columns(std::vector<std::string> names, bool named) : names_(std::move(names)), named_(named) {}
  static Columns numbered(std::size_t count);

  std::size_t size() const { return names_.size(); }
  const std::string& name(std::size_t index) const { return names_[index]; }
  // The column called `wanted`, else the one with that number (from 1). The Error names the nearest.
  Result<std::size_t> find(std::string_view wanted) const;
  // "a, b, c", cut after the first dozen.
  std::string list() const;

 private:
  std::vector<std::string> names_;
  bool named_;
};

// Whether `name` is `prefix`, perhaps a separator, a digit and anything: throughput_001_kb_s.
bool numbered_after(std::string_view name, std::string_view prefix);

// The name most like `wanted`: one that contains it or is contained, else the one with the smallest edit
// distance, letters' case aside. Empty when there are no names.
std::string_view nearest(std::string_view wanted, const std::vector<std::string>& names);

// "no column 'thruput'; nearest is 'throughput' (columns: run, throughput)".
Error no_column(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace weir::stats::detail
