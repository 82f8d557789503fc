#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "stats/samples.hpp"

namespace weir::stats::detail {

// A growing list of numbers that never holds the same values twice for long: full chunks stay where they
// are, and take() frees each as it copies it. A plain vector would touch 3 times its final size.
class ValueStore {
 public:
  void push(double value) {
    if (last_.size() == kChunk) seal();
    last_.push_back(value);
  }
  std::vector<double> take();

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 16;
  void seal();

  std::vector<std::vector<double>> full_;
  std::vector<double> last_;
};

// Gathers values by group and problems by kind; the last step of every input format.
class Collector {
 public:
  Collector(std::vector<std::string> key_columns, bool strict)
      : key_columns_(std::move(key_columns)), strict_(strict) {}

  // The group with these key values, made where it is new. One value per key column.
  std::size_t group(std::span<const std::string_view> key);
  void add(std::size_t group, double value) { stores_[group].push(value); }
  void count_row() { ++report_.rows; }
  // Counts a problem; in strict mode it is the Error that ends reading. The group may be unknown.
  Result<void> problem(ProblemKind kind, std::size_t line, std::string_view column, std::string_view text,
                       std::size_t group = kNoGroup);
  Result<Samples> finish(std::string source, std::string column);

  static constexpr std::size_t kNoGroup = ~std::size_t{0};

 private:
  std::vector<std::string> key_columns_;
  bool strict_;
  std::vector<Group> groups_;
  std::vector<ValueStore> stores_;
  std::unordered_map<std::string, std::size_t> index_;
  std::string joined_;
  std::string last_joined_;
  std::size_t last_group_ = kNoGroup;
  InputReport report_;
};

}  // namespace weir::stats::detail
