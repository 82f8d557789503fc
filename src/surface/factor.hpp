#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace weir::surface {

// How a factor's values become a coordinate.
enum class Scale {
  automatic,  // linear or log, by cross-validation
  raw,        // as given, divided by the unit: distances between factors then depend on their units
  linear,     // from 0 to 1 over the measured range
  log,        // likewise, of the logarithm
  level,      // words: a coordinate of 0 or 1 for each level but the first
};

std::string_view name(Scale scale);
Result<Scale> parse_scale(std::string_view text);

// A factor as a user asks for it: "freq_khz/1e6:log" is the column freq_khz in GHz on a logarithmic scale.
struct FactorRequest {
  std::string column;
  double unit = 1;
  Scale scale = Scale::automatic;
};

Result<FactorRequest> parse_factor(std::string_view text);

// A factor of a map.
struct Factor {
  std::string name;
  double unit = 1;
  Scale scale = Scale::automatic;
  std::vector<std::string> levels;  // the words, in order of appearance; empty for numbers
  std::vector<double> values;       // the distinct measured values in ascending order; indices for words

  bool words() const { return scale == Scale::level; }
  // Whether the measured values are spaced more evenly on a logarithmic scale: file sizes and threads are.
  bool geometric() const;
  // The coordinate of a value as text; an unknown word or no number is an Error that names the factor.
  Result<double> parse(std::string_view text) const;
  // The value as the input spelled it, or nearly.
  std::string text(double value) const;
};

// The place of a factor; an unknown name is an Error that suggests another.
Result<std::size_t> find_factor(const std::vector<Factor>& factors, std::string_view name);

}  // namespace weir::surface
