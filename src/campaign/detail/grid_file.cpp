// From the words of a grid file to a Grid.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/nearest.hpp"
#include "campaign/detail/design_reader.hpp"
#include "campaign/detail/document.hpp"
#include "campaign/detail/level.hpp"
#include "campaign/detail/product.hpp"
#include "campaign/grid.hpp"

namespace weir::campaign {
namespace {

using detail::error_at;
using detail::Node;

const std::vector<std::string> kWords = {"name",    "runs",  "warm_up",  "cool_down",   "seed",
                                         "factors", "fixed", "commands", "constraints", "design"};

// Names that make sense as a factor of a job or a machine: what a column of a table may be called.
bool good_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }) && !(name[0] >= '0' && name[0] <= '9');
}

class GridReader {
 public:
  GridReader(const Node& root, std::filesystem::path folder) : root_(root), folder_(std::move(folder)) {}

  Result<Grid> run() {
    if (root_.kind != Node::Kind::table) return error_at(root_.at, "a grid is a table of settings");
    for (const auto& [key, value] : root_.fields)
      if (auto read = field(key, value); !read) return read.error();
    if (const Node* commands = root_.find("commands"))
      if (auto read = read_commands(*commands); !read) return read.error();
    if (const Node* design = root_.find("design"))
      if (auto read = detail::read_design(*design, folder_, grid_); !read) return read.error();
    if (grid_.factors.empty())
      return Error{Errc::bad_data, "has no factors"}.with_remedy(
          "add a table [factors] such as: mode = [\"initial_write\", \"read\"]");
    if (auto checked = check_names(); !checked) return checked.error();
    // Compiles the constraints, so that a wrong one is found when the file is read.
    if (const auto product = detail::Product::of(grid_); !product) return product.error();
    return std::move(grid_);
  }

 private:
  Result<void> field(const std::string& key, const Node& value) {
    if (key == "name") return text(key, value, grid_.name);
    if (key == "runs") return whole(key, value, 1, kMostRuns, grid_.runs);
    if (key == "warm_up") return whole(key, value, 0, kMostRuns, grid_.warm_up);
    if (key == "seed") return whole(key, value, 0, std::numeric_limits<std::int64_t>::max(), grid_.seed);
    if (key == "cool_down") return cool_down(value);
    if (key == "factors") return factors(value);
    if (key == "fixed") return fixed(value);
    if (key == "constraints") return constraints(value);
    if (key == "commands" || key == "design") return {};  // wait for the factors
    const auto meant = nearest(key, kWords);
    return error_at(value.at, fmt::format("a grid has no '{}'", key))
        .with_remedy(meant ? fmt::format("did you mean '{}'?", *meant)
                           : fmt::format("it has {}", fmt::join(kWords, ", ")));
  }

  static Result<void> text(std::string_view key, const Node& value, std::string& into) {
    if (value.kind != Node::Kind::text || value.text.empty())
      return error_at(value.at, fmt::format("'{}' is a text, not {}", key, name(value.kind)));
    into = value.text;
    return {};
  }
  template <class Whole>
  static Result<void> whole(std::string_view key, const Node& value, std::int64_t least, std::int64_t most,
                            Whole& into) {
    if (value.kind != Node::Kind::integer)
      return error_at(value.at, fmt::format("'{}' is a whole number, not {}", key, name(value.kind)));
    if (value.integer < least || value.integer > most)
      return error_at(value.at,
                      fmt::format("'{}' is {}; it is between {} and {}", key, value.integer, least, most));
    into = static_cast<Whole>(value.integer);
    return {};
  }
  Result<void> cool_down(const Node& value) {
    if (value.is_number() && value.real >= 0 && value.real < 1e9) {
      grid_.cool_down = Nanoseconds(std::llround(value.real * 1e9));
      return {};
    }
    const auto pause = parse_duration(value.text);
    if (value.kind != Node::Kind::text || !pause)
      return error_at(value.at, "'cool_down' is a duration such as \"100ms\" or a number of seconds");
    grid_.cool_down = *pause;
    return {};
  }
  Result<void> factors(const Node& table) {
    if (table.kind != Node::Kind::table)
      return error_at(table.at, "'factors' is a table of levels by factor");
    for (const auto& [factor, value] : table.fields) {
      // In TOML a setting written after [factors] belongs to it.
      if (factor != "seed" && std::find(kWords.begin(), kWords.end(), factor) != kWords.end())
        return error_at(value.at, fmt::format("'{}' stands among the factors", factor))
            .with_remedy("move it above [factors]");
      if (!good_name(factor))
        return error_at(value.at, fmt::format("'{}' is no name for a factor", factor))
            .with_remedy("use letters, digits and _");
      auto levels = detail::levels_of(value, factor);
      if (!levels) return levels.error();
      grid_.factors.push_back({factor, *std::move(levels), {}});
    }
    return {};
  }
  Result<void> fixed(const Node& table) {
    if (table.kind != Node::Kind::table) return error_at(table.at, "'fixed' is a table of values by field");
    for (const auto& [name, value] : table.fields) {
      const auto level = detail::level_of(value);
      if (!level || !good_name(name))
        return error_at(value.at, fmt::format("'{}' of [fixed] is one text, number, true or false", name));
      grid_.fixed.emplace_back(name, level->text);
    }
    return {};
  }
  Result<void> constraints(const Node& list) {
    if (list.kind != Node::Kind::array)
      return error_at(list.at, "'constraints' is a list of texts such as \"record_size <= file_size\"");
    for (const Node& item : list.items) {
      if (item.kind != Node::Kind::text) return error_at(item.at, "a constraint is a text");
      grid_.constraints.push_back(item.text);
    }
    return {};
  }
  Result<void> read_commands(const Node& table) {
    if (table.kind != Node::Kind::table)
      return error_at(table.at, "'commands' is a table of commands by factor");
    std::vector<std::string> names;
    for (const Factor& factor : grid_.factors) names.push_back(factor.name);
    for (const auto& [factor, value] : table.fields) {
      const auto found = std::find(names.begin(), names.end(), factor);
      if (found == names.end()) {
        const auto meant = nearest(factor, names);
        return error_at(value.at, fmt::format("[commands] names '{}', which is no factor", factor))
            .with_remedy(meant ? fmt::format("did you mean '{}'?", *meant) : "add it to [factors]");
      }
      if (value.kind != Node::Kind::text || value.text.find("{}") == std::string::npos)
        return error_at(value.at,
                        fmt::format("the command of '{}' is a text with {{}} for the level", factor));
      grid_.factors[static_cast<std::size_t>(found - names.begin())].command = value.text;
    }
    return {};
  }
  // Whatever is set is set once; threads is another word for count.
  Result<void> check_names() const {
    std::vector<std::string> names;
    for (const Factor& factor : grid_.factors) names.push_back(factor.name);
    for (const auto& [name, value] : grid_.fixed) names.push_back(name);
    for (std::string& name : names)
      if (name == "threads") name = "count";
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return {};
    return Error{Errc::bad_data,
                 fmt::format("'{}'{} is set twice", *twice, *twice == "count" ? " (or threads)" : "")}
        .with_remedy("keep it in [factors] or in [fixed]");
  }

  static constexpr std::int64_t kMostRuns = 100'000'000;
  const Node& root_;
  std::filesystem::path folder_;
  Grid grid_;
};

}  // namespace

Result<Grid> parse_grid(std::string_view text, std::string_view name, bool toml) {
  const auto document = toml ? detail::parse_toml_document(text) : detail::parse_json_document(text);
  if (!document) return document.error().in(name);
  const std::filesystem::path path(name);
  auto grid = GridReader(*document, path.parent_path()).run();
  if (!grid) return grid.error().in(name);
  if (grid->name.empty()) grid->name = path.stem().string();
  grid->text = std::string(text);
  return grid;
}

Result<Grid> read_grid(const std::filesystem::path& file) {
  constexpr std::uint64_t kLongest = std::uint64_t{16} << 20U;
  const std::string ending = file.extension().string();
  if (ending != ".toml" && ending != ".json")
    return Error{Errc::usage, "a grid file ends in .toml or .json"}.in(file.string());
  const auto text = read_text(file, kLongest);
  if (!text) return text.error();
  return parse_grid(*text, file.string(), ending == ".toml");
}

}  // namespace weir::campaign
