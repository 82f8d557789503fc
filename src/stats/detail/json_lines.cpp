#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stats/detail/collector.hpp"
#include "stats/detail/columns.hpp"
#include "stats/detail/fields.hpp"
#include "stats/detail/formats.hpp"

namespace weir::stats::detail {
namespace {

using Json = nlohmann::ordered_json;  // wide rows keep their run order

// The member `path`, or, where there is none of that name, a.b inside of a. Null when absent.
const Json* member(const Json& object, std::string_view path) {
  if (!object.is_object()) return nullptr;
  if (const auto at = object.find(path); at != object.end()) return &*at;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1))
    if (const auto at = object.find(path.substr(0, dot)); at != object.end())
      return member(*at, path.substr(dot + 1));
  return nullptr;
}

std::string key_text(const Json& value) {
  std::string text = value.is_string() ? value.get<std::string>()
                                       : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::erase(text, '\0');
  return text;
}

class JsonReader {
 public:
  JsonReader(const SampleQuery& query, Collector& into)
      : query_(query), into_(into), key_(query.group.size()) {}

  Result<void> line(std::size_t number, std::string_view text) {
    into_.count_row();
    const Json object = Json::parse(text, nullptr, false);
    if (!object.is_object())
      return into_.problem(ProblemKind::json, number, "", "is not a JSON object on one line");
    for (std::size_t i = 0; i < query_.group.size(); ++i) {
      const Json* const part = find(object, query_.group[i]);
      if (part == nullptr) return into_.problem(ProblemKind::missing, number, query_.group[i], "");
      key_[i] = key_text(*part);
    }
    const std::vector<std::string_view> views(key_.begin(), key_.end());
    const std::size_t group = into_.group(views);
    if (query_.keys_only) {
      into_.add(group, 1);
      return {};
    }
    if (query_.wide.empty()) {
      const Json* const value = find(object, query_.column);
      if (value == nullptr) return into_.problem(ProblemKind::missing, number, query_.column, "", group);
      return take(*value, number, query_.column, group);
    }
    for (const auto& [name, value] : object.items()) {
      if (!numbered_after(name, query_.wide)) continue;
      seen_.insert(query_.wide);
      if (value.is_null()) continue;
      if (auto done = take(value, number, name, group); !done) return done;
    }
    return {};
  }

  // What the query asked for and no object had: a missing column, not a missing value.
  Result<void> check_names() const {
    std::vector<std::string> wanted = query_.group;
    if (query_.wide.empty() && !query_.keys_only) wanted.push_back(query_.column);
    for (const std::string& name : wanted)
      if (!seen_.contains(name)) return no_column(name, {known_.begin(), known_.end()});
    if (!query_.wide.empty() && !seen_.contains(query_.wide))
      return Error{Errc::not_found, fmt::format("no members called {}1, {}2, ...", query_.wide, query_.wide)};
    return {};
  }

 private:
  const Json* find(const Json& object, const std::string& path) {
    const Json* const found = member(object, path);
    if (found != nullptr) {
      if (!seen_.contains(path)) seen_.insert(path);
    } else if (known_.size() < kKnownNames) {
      for (const auto& [name, value] : object.items()) known_.insert(name);
    }
    return found;
  }

  // A number, or a list of them: the runs of one object.
  Result<void> take(const Json& value, std::size_t line, const std::string& column, std::size_t group) {
    if (value.is_array()) {
      for (const Json& element : value)
        if (auto done = take_one(element, line, column, group); !done) return done;
      return {};
    }
    return take_one(value, line, column, group);
  }

  Result<void> take_one(const Json& value, std::size_t line, const std::string& column, std::size_t group) {
    if (value.is_number()) {
      const auto number = value.get<double>();
      if (std::isfinite(number)) {
        into_.add(group, number);
        return {};
      }
      return into_.problem(ProblemKind::infinite, line, column, key_text(value), group);
    }
    if (value.is_null()) return into_.problem(ProblemKind::missing, line, column, "", group);
    const std::string text = key_text(value);
    const Number number = value.is_string() ? parse_number(trim(text)) : Number{};
    const ProblemKind kind = number.good ? ProblemKind::text : number.problem;  // "12.5" in quotes is text
    return into_.problem(kind, line, column, text, group);
  }

  static constexpr std::size_t kKnownNames = 100;

  const SampleQuery& query_;
  Collector& into_;
  std::vector<std::string> key_;
  std::set<std::string> seen_;
  std::set<std::string> known_;
};

}  // namespace

Result<Samples> read_json_lines(TextLines& lines, const SampleQuery& asked) {
  SampleQuery query = asked;
  const Json first = Json::parse(lines.ahead(0), nullptr, false);
  if (query.wide.empty() && query.column.empty() && !query.keys_only) {
    if (!first.is_object() || first.size() != 1)
      return Error{Errc::usage, "has several members in each object"}.with_remedy(
          "say which one with --column");
    query.column = first.begin().key();
  }
  if (!query.wide.empty() && query.group.empty() && first.is_object())
    for (const auto& [name, value] : first.items())
      if (!numbered_after(name, query.wide)) query.group.push_back(name);

  Collector collector(query.group, query.strict);
  JsonReader reader(query, collector);
  std::string_view line;
  auto more = lines.next(line);
  for (; more && *more; more = lines.next(line))
    if (auto done = reader.line(lines.number(), line); !done) return done.error();
  if (!more) return more.error();
  if (auto named = reader.check_names(); !named) return named.error();
  return collector.finish("", query.wide.empty() ? query.column : query.wide);
}

}  // namespace weir::stats::detail
