#include "campaign/detail/design_reader.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/nearest.hpp"
#include "campaign/detail/level.hpp"

namespace weir::campaign::detail {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// Fields of one line of comma-separated text; quotes as in RFC 4180, without line breaks inside fields.
Result<std::vector<std::string>> split_line(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"' && (quoted || fields.back().empty())) {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quoted) return Error{Errc::bad_data, "a quoted field has no end"};
  for (std::string& field : fields) {
    const auto begin = field.find_first_not_of(" \t");
    const auto end = field.find_last_not_of(" \t");
    field = begin == std::string::npos ? "" : field.substr(begin, end - begin + 1);
  }
  return fields;
}

// A list in a file of its own: a header with factor names, then a row a configuration.
Result<void> read_list_file(const std::filesystem::path& file, Design& design) {
  constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 30U;
  const auto text = read_text(file, kMostAtOnce);
  if (!text) return text.error();
  std::size_t line_number = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    ++line_number;
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    auto fields = split_line(line);
    const std::string where = fmt::format("line {}", line_number);
    if (!fields) return fields.error().in(where).in(file.string());
    if (design.list_factors.empty()) {
      design.list_factors = *std::move(fields);
      continue;
    }
    if (fields->size() != design.list_factors.size())
      return Error{Errc::bad_data, fmt::format("{} fields where the header has {}", fields->size(),
                                               design.list_factors.size())}
          .in(where)
          .in(file.string());
    design.list.push_back(*std::move(fields));
  }
  if (design.list.empty()) return Error{Errc::bad_data, "holds no configurations"}.in(file.string());
  return {};
}

Result<void> read_rows(const Node& rows, const std::vector<std::string>& names, Design& design) {
  if (rows.kind != Node::Kind::array) return error_at(rows.at, "'rows' is a list of configurations");
  design.list_factors = names;
  for (const Node& row : rows.items) {
    if (row.kind != Node::Kind::array || row.items.size() != names.size())
      return error_at(row.at,
                      fmt::format("a row is a list of {} levels: {}", names.size(), fmt::join(names, ", ")));
    auto& levels = design.list.emplace_back();
    for (const Node& item : row.items) {
      auto level = level_of(item);
      if (!level)
        return error_at(item.at, fmt::format("a level is a text or a number, not {}", name(item.kind)));
      levels.push_back(std::move(level->text));
    }
  }
  return {};
}

Result<void> read_list(const Node& table, const std::filesystem::path& folder, Grid& grid) {
  Design& design = grid.design;
  const Node* const file = table.find("file");
  const Node* const rows = table.find("rows");
  if ((file == nullptr) == (rows == nullptr))
    return error_at(table.at, "a design of kind \"list\" has either file or rows");
  if (file != nullptr) {
    if (file->kind != Node::Kind::text || file->text.empty())
      return error_at(file->at, "'file' is the name of a CSV file with a column a factor");
    if (auto read = read_list_file(folder / file->text, design); !read) return read.error();
  } else {
    std::vector<std::string> names;
    if (const Node* factors = table.find("factors")) {
      for (const Node& item : factors->items) names.push_back(item.text);
      if (names.empty()) return error_at(factors->at, "'factors' is a list of factor names");
    } else {
      for (const Factor& factor : grid.factors) names.push_back(factor.name);
    }
    if (auto read = read_rows(*rows, names, design); !read) return read.error();
  }
  for (std::size_t column = 0; column < design.list_factors.size(); ++column) {
    const std::string& factor = design.list_factors[column];
    if (factor.empty()) return error_at(table.at, "a column of the list has no name");
    if (std::any_of(grid.factors.begin(), grid.factors.end(),
                    [&](const Factor& known) { return known.name == factor; }))
      continue;
    Factor made{factor, {}, {}};
    for (const auto& row : design.list) {
      const Level level = level_of(row[column]);
      if (std::none_of(made.levels.begin(), made.levels.end(),
                       [&](const Level& l) { return same(l, level); }))
        made.levels.push_back(level);
    }
    grid.factors.push_back(std::move(made));
  }
  return {};
}

Result<void> read_share(const Node& table, Design& design) {
  const Node* const share = table.find("share");
  if (share == nullptr)
    return error_at(table.at, "a design of kind \"random\" has a share such as 0.1 or \"10%\"");
  std::optional<double> value;
  if (share->is_number()) value = share->real;
  if (share->kind == Node::Kind::text && share->text.ends_with('%'))
    if (const auto percent = number_in(std::string_view(share->text).substr(0, share->text.size() - 1)))
      value = *percent / 100;
  if (!value || !(*value > 0) || *value > 1)
    return error_at(share->at, "'share' is above 0 and at most 1, or a text such as \"10%\"");
  design.share = *value;
  return {};
}

Result<void> read_points(const Node& table, Design& design) {
  const Node* const points = table.find("points");
  if (points == nullptr || points->kind != Node::Kind::integer || points->integer < 1)
    return error_at(points != nullptr ? points->at : table.at,
                    "a design of kind \"latin\" has points, a whole number above 0");
  design.points = static_cast<std::uint64_t>(points->integer);
  return {};
}

}  // namespace

Result<void> read_design(const Node& table, const std::filesystem::path& folder, Grid& grid) {
  if (table.kind != Node::Kind::table) return error_at(table.at, "'design' is a table with a kind");
  static const std::vector<std::string> kWords = {"kind", "share", "points", "file", "rows", "factors"};
  static const std::vector<std::string> kKinds = {"full", "random", "latin", "list"};
  for (const auto& [key, value] : table.fields)
    if (std::find(kWords.begin(), kWords.end(), key) == kWords.end()) {
      const auto meant = nearest(key, kWords);
      return error_at(value.at, fmt::format("a design has no '{}'", key))
          .with_remedy(meant ? fmt::format("did you mean '{}'?", *meant)
                             : fmt::format("it has {}", fmt::join(kWords, ", ")));
    }
  const Node* const kind = table.find("kind");
  const auto found = kind != nullptr ? std::find(kKinds.begin(), kKinds.end(), kind->text) : kKinds.end();
  if (found == kKinds.end())
    return error_at(kind != nullptr ? kind->at : table.at,
                    "the kind of a design is full, random, latin or list");
  grid.design.kind = static_cast<Design::Kind>(found - kKinds.begin());
  switch (grid.design.kind) {
    case Design::Kind::full:
      return {};
    case Design::Kind::random:
      return read_share(table, grid.design);
    case Design::Kind::latin:
      return read_points(table, grid.design);
    case Design::Kind::list:
      return read_list(table, folder, grid);
  }
  return {};
}

}  // namespace weir::campaign::detail
