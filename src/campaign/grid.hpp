#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"

namespace weir::campaign {

// One setting of a factor: as the grid spells it, and its number where it is one ("64k" is 65536).
struct Level {
  std::string text;
  std::optional<double> number;
  bool operator==(const Level&) const = default;
};

struct Factor {
  std::string name;
  std::vector<Level> levels;
  std::string command;  // sets it, with {} for the level; empty where Weir itself knows how
};

// Which configurations of the grid are run.
struct Design {
  enum class Kind { full, random, latin, list };
  Kind kind = Kind::full;
  double share = 1;                            // random: of the valid configurations
  std::uint64_t points = 0;                    // latin
  std::vector<std::vector<std::string>> list;  // list: rows of levels in the order of list_factors
  std::vector<std::string> list_factors;
};

// What a grid file says, in TOML or JSON. docs/guide/measuring.md tells the words.
struct Grid {
  std::string name;
  std::string text;  // of the file, kept with the results
  std::vector<Factor> factors;
  std::vector<std::pair<std::string, std::string>> fixed;  // fields of every job that do not vary
  std::vector<std::string> constraints;  // "record_size <= file_size", "file_size % record_size == 0"
  Design design;
  std::uint32_t runs = 30;
  std::uint32_t warm_up = 1;  // runs thrown away when the campaign starts or goes on
  Nanoseconds cool_down;      // pause after every run
  std::uint64_t seed = 1;
};

// By the file's ending, .toml or .json; errors name line and column.
Result<Grid> read_grid(const std::filesystem::path& file);
Result<Grid> parse_grid(std::string_view text, std::string_view name, bool toml);

// A level per factor, by index.
using Configuration = std::vector<std::uint32_t>;

// The levels of a configuration as stores keep them: numbers plainly ("65536"), texts as they are.
std::vector<std::string> levels_of(const Grid& grid, const Configuration& configuration);

// All configurations of the design that meet the constraints, in a fixed order; an error when there is none
// that says which constraint left nothing.
Result<std::vector<Configuration>> enumerate(const Grid& grid);

// Counts without listing, for grids of any size: of the full product, and of what the constraints leave.
struct GridSize {
  std::uint64_t product = 0;
  std::uint64_t valid = 0;
  std::uint64_t designed = 0;
};
Result<GridSize> size_of(const Grid& grid);

}  // namespace weir::campaign
