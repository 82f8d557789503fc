#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "stats/detail/collector.hpp"
#include "stats/detail/columns.hpp"
#include "stats/detail/fields.hpp"
#include "stats/detail/formats.hpp"

namespace weir::stats::detail {
namespace {

// Records of delimited text; a quoted field may run over several lines.
class Records {
 public:
  Records(TextLines& lines, char delimiter) : lines_(lines), splitter_(delimiter) {}

  Result<bool> next() {
    std::string_view line;
    auto more = lines_.next(line);
    if (!more || !*more) return more;
    line_ = lines_.number();
    if (splitter_.split(line)) return true;
    std::string joined(line);
    for (std::size_t extra = 0; extra < kMostLines && joined.size() < kMostBytes; ++extra) {
      more = lines_.next_raw(line);
      if (!more) return more;
      if (!*more) break;
      joined += '\n';
      joined += line;
      if (splitter_.split(joined)) {
        joined_ = std::move(joined);
        return splitter_.split(joined_);
      }
    }
    return Error{Errc::bad_data, fmt::format("line {}: a quote is opened and not closed", line_)};
  }
  const std::vector<std::string_view>& fields() const { return splitter_.fields(); }
  std::size_t line() const { return line_; }  // where the record begins

 private:
  static constexpr std::size_t kMostLines = 100;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  TextLines& lines_;
  FieldSplitter splitter_;
  std::string joined_;
  std::size_t line_ = 0;
};

bool looks_like_number(std::string_view text) {
  const Number number = parse_number(text);
  return number.good || number.problem != ProblemKind::text;
}

// A header names what the query asks for, or is all words. "fread,12.5" is data: some column is a number.
bool is_header(const std::vector<std::string_view>& fields, const SampleQuery& query) {
  const auto named = [&](const std::string& wanted) {
    return !wanted.empty() && !looks_like_number(wanted) &&
           std::find(fields.begin(), fields.end(), wanted) != fields.end();
  };
  if (named(query.column) || std::any_of(query.group.begin(), query.group.end(), named)) return true;
  if (!query.wide.empty()) return true;
  const bool words =
      std::any_of(fields.begin(), fields.end(), [](std::string_view f) { return !looks_like_number(f); });
  const bool numbers =
      std::any_of(fields.begin(), fields.end(), [](std::string_view f) { return parse_number(f).good; });
  return words && !numbers;
}

// Which columns hold the values and which the key.
struct Plan {
  std::vector<std::size_t> values;
  std::vector<std::size_t> key;
  bool row_is_key = false;  // wide rows with nothing else in them: each row is its own configuration
};

Result<void> find_values(const Columns& columns, const SampleQuery& query, Plan& plan) {
  if (!query.wide.empty()) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (numbered_after(columns.name(i), query.wide))
        plan.values.push_back(i);
      else if (query.group.empty())
        plan.key.push_back(i);
    }
    if (plan.values.empty())
      return Error{Errc::not_found, fmt::format("no columns called {}1, {}2, ... (columns: {})", query.wide,
                                                query.wide, columns.list())};
    plan.row_is_key = query.group.empty() && plan.key.empty();
  } else if (!query.column.empty()) {
    const auto found = columns.find(query.column);
    if (!found) return found.error();
    plan.values.push_back(*found);
  } else if (columns.size() == 1) {
    plan.values.push_back(0);
  } else {
    return Error{Errc::usage, fmt::format("has {} columns", columns.size())}.with_remedy(
        fmt::format("say which one with --column: {}", columns.list()));
  }
  return {};
}

Result<Plan> make_plan(const Columns& columns, const SampleQuery& query) {
  Plan plan;
  if (!query.keys_only)
    if (auto found = find_values(columns, query, plan); !found) return found.error();
  for (const std::string& wanted : query.group) {
    const auto found = columns.find(wanted);
    if (!found) return found.error();
    plan.key.push_back(*found);
  }
  return plan;
}

class DelimitedReader {
 public:
  DelimitedReader(const Columns& columns, const Plan& plan, bool blanks, Collector& into)
      : columns_(columns), plan_(plan), blanks_(blanks), into_(into), key_(plan.key.size()) {
    for (const std::size_t column : plan.key) key_end_ = std::max(key_end_, column + 1);
  }

  Result<void> row(std::size_t line, const std::vector<std::string_view>& fields) {
    into_.count_row();
    const bool wide = plan_.values.size() > 1;
    std::size_t count = fields.size();
    if (count == columns_.size() + 1 && fields.back().empty()) --count;  // a delimiter at the line's end
    if (count > columns_.size() || (wide ? count < key_end_ : count < columns_.size() && !blanks_))
      return into_.problem(ProblemKind::fields, line, "",
                           fmt::format("{} fields where {} are due", count, columns_.size()));
    if (count < key_end_) return into_.problem(ProblemKind::missing, line, columns_.name(key_end_ - 1), "");

    std::string row_number;
    std::size_t group = 0;
    if (plan_.row_is_key) {
      row_number = std::to_string(line);
      const std::string_view key(row_number);
      group = into_.group({&key, 1});
    } else {
      for (std::size_t i = 0; i < key_.size(); ++i) key_[i] = fields[plan_.key[i]];
      group = into_.group(key_);
    }
    if (plan_.values.empty()) into_.add(group, 1);
    for (const std::size_t column : plan_.values) {
      const std::string_view text = column < count ? fields[column] : std::string_view();
      if (wide && text.empty()) continue;
      const Number number = parse_number(text);
      if (number.good) {
        into_.add(group, number.value);
      } else if (auto done = into_.problem(number.problem, line, columns_.name(column), text, group); !done) {
        return done;
      }
    }
    return {};
  }

 private:
  const Columns& columns_;
  const Plan& plan_;
  bool blanks_;
  Collector& into_;
  std::vector<std::string_view> key_;
  std::size_t key_end_ = 0;
};

}  // namespace

Result<Samples> read_delimited(TextLines& lines, const SampleQuery& query) {
  if (auto looked = lines.look_ahead(2); !looked) return looked.error();
  const char delimiter =
      query.delimiter != 0 ? query.delimiter : find_delimiter(lines.ahead(0), lines.ahead(1));
  Records records(lines, delimiter);
  auto more = records.next();
  if (!more) return more.error();

  const bool header = is_header(records.fields(), query);
  const Columns columns = header ? Columns({records.fields().begin(), records.fields().end()}, true)
                                 : Columns::numbered(records.fields().size());
  const auto plan = make_plan(columns, query);
  if (!plan) return plan.error();

  std::vector<std::string> key_columns;
  for (const std::size_t column : plan->key) key_columns.push_back(columns.name(column));
  if (plan->row_is_key) key_columns.emplace_back("line");
  Collector collector(std::move(key_columns), query.strict);
  DelimitedReader reader(columns, *plan, delimiter == ' ', collector);
  if (header) more = records.next();
  while (more && *more) {
    if (auto done = reader.row(records.line(), records.fields()); !done) return done.error();
    more = records.next();
  }
  if (!more) return more.error();
  if (query.keys_only) return collector.finish("", "");
  return collector.finish("", query.wide.empty() ? columns.name(plan->values[0]) : query.wide);
}

}  // namespace weir::stats::detail
