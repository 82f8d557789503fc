#include "calls/host/parser.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "calls/host/declarator.hpp"
#include "calls/host/lexer.hpp"

namespace weir::host {
namespace {

constexpr std::size_t kMostArguments = 32;

template <std::size_t N, class Info>
std::vector<std::string_view> names_of(const std::array<Info, N>& table) {
  std::vector<std::string_view> names;
  names.reserve(N);
  for (const Info& entry : table) names.push_back(entry.name);
  return names;
}

// Reads one row. The first mistake ends it: what follows a mistake in the same row is mostly its echo.
class RowParser {
 public:
  RowParser(const Table& table, const LogicalRow& row, Problems& problems)
      : problems_(problems), tokens_(row.tokens) {
    row_.file = table.file;
    row_.layer = table.layer;
    row_.table = table.name;
    row_.line = row.line;
    last_line_ = row.line;
  }

  std::optional<Row> run() {
    if (!head() || !arguments() || !attributes() || !settle()) return std::nullopt;
    return std::move(row_);
  }

 private:
  bool fail(int line, std::string text) {
    problems_.push_back({row_.file, line, std::move(text)});
    return false;
  }

  bool at_end() const { return next_ == tokens_.size(); }
  bool at(std::string_view mark) const { return !at_end() && tokens_[next_].text == mark; }
  bool at_word() const { return !at_end() && tokens_[next_].kind == Token::Kind::word; }
  const Token& take() {
    last_line_ = tokens_[next_].line;
    return tokens_[next_++];
  }

  // TYPE name (
  bool head() {
    const std::size_t open = position_of("(", 0);
    if (open == tokens_.size())
      return fail(row_.line, "a row is TYPE name(TYPE argument: role, ...); no '(' here");
    const auto declared = parse_declarator(tokens_.subspan(0, open));
    if (!declared.problem.empty()) return fail(row_.line, "before '(': " + declared.problem);
    if (!declared.plain) return fail(row_.line, "a result can not be an array");
    row_.result_type = declared.type;
    row_.name = declared.name;
    next_ = open + 1;
    return true;
  }

  bool arguments() {
    if (at(")")) return static_cast<void>(take()), true;
    if (at("void") && next_ + 1 < tokens_.size() && tokens_[next_ + 1].text == ")") {
      next_ += 2;
      return true;
    }
    while (true) {
      const std::size_t end = end_of_argument();
      if (end == tokens_.size()) return fail(row_.line, fmt::format("'{}(' is never closed", row_.name));
      if (!argument(tokens_.subspan(next_, end - next_))) return false;
      next_ = end;
      if (take().text == ")") return true;
    }
  }

  // TYPE name: role [direction]
  bool argument(std::span<const Token> text) {
    const std::size_t number = row_.arguments.size() + 1;
    if (number > kMostArguments)
      return fail(last_line_, fmt::format("more than {} arguments", kMostArguments));
    if (text.empty()) return fail(last_line_, fmt::format("argument {} is empty", number));
    const int line = text.front().line;
    const auto colon = std::find_if(text.begin(), text.end(), [](const Token& t) { return t.text == ":"; });
    const auto before = static_cast<std::size_t>(colon - text.begin());
    const auto declared = parse_declarator(text.subspan(0, before));
    if (!declared.problem.empty())
      return fail(line, fmt::format("argument {}: {}", number, declared.problem));
    for (const RowArgument& other : row_.arguments)
      if (other.name == declared.name)
        return fail(line, fmt::format("two arguments are called '{}'", other.name));
    if (colon == text.end())
      return fail(line, fmt::format("argument '{0}' has no role; write '{0}: role'", declared.name));
    RowArgument made;
    made.type = declared.type;
    made.name = declared.name;
    made.items = declared.items;
    std::span<const Token> rest = text.subspan(before + 1);
    const auto bracket = std::find_if(rest.begin(), rest.end(), [](const Token& t) { return t.text == "["; });
    const auto words = static_cast<std::size_t>(bracket - rest.begin());
    if (!role(rest.subspan(0, words), line, made)) return false;
    if (bracket != rest.end() && !items(rest.subspan(words), made)) return false;
    row_.arguments.push_back(std::move(made));
    return true;
  }

  bool role(std::span<const Token> text, int line, RowArgument& made) {
    if (text.empty()) return fail(line, fmt::format("argument '{}' has no role after ':'", made.name));
    const Token& word = text.front();
    const auto found = find_role(word.text);
    if (!found)
      return fail(word.line,
                  fmt::format("unknown role '{}'{}", word.text, suggestion(word.text, names_of(kRoles))));
    made.role = *found;
    made.direction = usual_direction(made);
    if (text.size() == 1) return true;
    for (const Direction direction : {Direction::in, Direction::out, Direction::inout})
      if (text.size() == 2 && text[1].text == weir::name(direction)) {
        made.direction = direction;
        return true;
      }
    return fail(text[1].line,
                fmt::format("after the role '{}' stands 'in', 'out', 'inout', ',' or ')', not '{}'",
                            word.text, text[1].text));
  }

  // [count], [*outcount], [3 * n], [size(comm)]; [count][rank(space)] for a list of lists
  bool items(std::span<const Token> text, RowArgument& made) {
    const int line = text.front().line;
    const auto wrong = [&] {
      return fail(line, fmt::format("how many '{}' has is [argument], [*argument], [number * argument] or "
                                    "[size(argument)], and [rank(argument)] may follow for lists of lists",
                                    made.name));
    };
    const auto end = std::find_if(text.begin(), text.end(), [](const Token& t) { return t.text == "]"; });
    const auto first = static_cast<std::size_t>(end - text.begin()) + 1;
    if (first < 3 || first > text.size()) return wrong();
    if (first < text.size() && !each_item(text.subspan(first), made)) return wrong();
    text = text.subspan(1, first - 2);
    if (text.size() == 1 && text[0].kind == Token::Kind::word) {
      made.many.many = Many::argument;
    } else if (text.size() == 2 && text[0].text == "*") {
      made.many.many = Many::pointed;
    } else if (text.size() == 3 && text[0].kind == Token::Kind::number && text[1].text == "*") {
      if (text[0].text.size() != 1) return wrong();
      made.many.many = Many::argument;
      made.many.factor = static_cast<std::uint8_t>(text[0].text[0] - '0');
    } else if (text.size() >= 4 && text[1].text == "(" && text.back().text == ")") {
      const auto word = std::find(kManyWords.begin(), kManyWords.end(), text[0].text);
      if (word == kManyWords.end()) return wrong();
      made.many.many = static_cast<Many>(word - kManyWords.begin());
      if (text.size() == 6 && text[3].text == "," && made.many.many == Many::rank)
        made.counted_with = text[4].text;
      else if (text.size() != 4)
        return wrong();
      text = text.subspan(0, 3);
    } else {
      return wrong();
    }
    made.counted_by = text.back().text;
    return true;
  }

  // [rank(space)], [rank(ncid, varid)]
  static bool each_item(std::span<const Token> text, RowArgument& made) {
    if ((text.size() != 6 && text.size() != 8) || text[0].text != "[" || text[1].text != "rank" ||
        text[2].text != "(" || text[text.size() - 2].text != ")" || text.back().text != "]")
      return false;
    if (text.size() == 8 && text[4].text != ",") return false;
    made.many.lists = true;
    made.each_by = text[3].text;
    if (text.size() == 8) made.each_with = text[5].text;
    return true;
  }

  static Direction usual_direction(const RowArgument& argument) {
    const std::string& type = argument.type;
    const bool pointer = type.ends_with('*') || type.find("(*)[") != std::string::npos;
    if (!pointer || type.starts_with("const ")) return Direction::in;
    const bool one_star = std::count(type.begin(), type.end(), '*') == 1;
    if (one_star && info(argument.role).handle == HandleKind::by_pointer) return Direction::in;
    return Direction::out;
  }

  bool attributes() {
    while (!at_end()) {
      if (!at("@"))
        return fail(tokens_[next_].line,
                    fmt::format("'{}' after the row; only @attributes may follow ')'", tokens_[next_].text));
      take();
      if (!at_word()) return fail(last_line_, "'@' without the name of an attribute");
      if (!attribute(take())) return false;
    }
    return true;
  }

  bool attribute(const Token& word) {
    const auto* const found = std::find_if(kAttributes.begin(), kAttributes.end(),
                                           [&](const AttributeInfo& a) { return a.name == word.text; });
    if (found == kAttributes.end())
      return fail(word.line, fmt::format("unknown attribute '@{}'{}", word.text,
                                         suggestion(word.text, names_of(kAttributes))));
    if (std::find(seen_.begin(), seen_.end(), word.text) != seen_.end())
      return fail(word.line, fmt::format("@{} stands twice", word.text));
    seen_.push_back(word.text);
    if (!at("(")) {
      if (found->takes == Takes::nothing) return set_flag(word.text);
      return fail(word.line, fmt::format("@{0} needs a word: @{0}({1})", word.text,
                                         found->takes == Takes::role ? "role" : "name"));
    }
    if (found->takes == Takes::nothing) return fail(word.line, fmt::format("@{} takes no words", word.text));
    std::vector<std::string> words;
    do {
      take();
      if (!at_word()) return fail(last_line_, fmt::format("@{} takes names in its parentheses", word.text));
      words.emplace_back(take().text);
    } while (at(","));
    if (!at(")")) return fail(last_line_, fmt::format("'@{}(' is never closed", word.text));
    take();
    if (words.size() > 1 && found->takes != Takes::names)
      return fail(word.line, fmt::format("@{} takes one word", word.text));
    return set_words(word, std::move(words));
  }

  bool set_flag(std::string_view name) {
    if (name == "opens") row_.opens = true;
    if (name == "closes") row_.closes = true;
    if (name == "closes_many") row_.closes_many = true;
    if (name == "list") row_.list = true;
    if (name == "variadic") row_.variadic = true;
    if (name == "undeclared") row_.undeclared = true;
    if (name == "by_hand") row_.by_hand = true;
    if (name == "leaves") row_.leaves = true;
    if (name == "unprofiled") row_.unprofiled = true;
    if (name == "starts") row_.starts = true;
    if (name == "persistent") row_.persistent = true;
    if (name == "completes") row_.completes = true;
    if (name == "agrees") row_.agrees = true;
    if (name == "collective") row_.collective = true;
    return true;
  }

  bool set_words(const Token& attribute, std::vector<std::string> words) {
    if (attribute.text == "alias")
      row_.aliases = std::move(words);
    else if (attribute.text == "twin")
      row_.twins = std::move(words);
    else if (attribute.text == "makes")
      return set_made(attribute, words.front());
    else if (attribute.text == "on")
      return set_standard(attribute, words.front());
    else if (attribute.text == "means")
      row_.means = std::move(words.front());
    else if (attribute.text == "real")
      row_.real = std::move(words.front());
    else if (const auto role = find_role(words.front()))
      given_result_ = *role;
    else
      return fail(attribute.line, fmt::format("unknown role '{}'{}", words.front(),
                                              suggestion(words.front(), names_of(kRoles))));
    return true;
  }

  bool set_made(const Token& attribute, const std::string& word) {
    const auto made = find_made(word);
    if (!made)
      return fail(attribute.line, fmt::format("@makes({}): it is one of {}", word, fmt::join(kMade, ", ")));
    row_.makes = *made;
    return true;
  }

  bool set_standard(const Token& attribute, const std::string& word) {
    const auto stream = find_standard(word);
    if (!stream) return fail(attribute.line, fmt::format("@on({}): it is stdin, stdout or stderr", word));
    row_.on = *stream;
    return true;
  }

  // Where the argument stands that tells how many items `counted` has.
  std::optional<std::uint8_t> find_argument(const RowArgument& counted, const std::string& name) {
    const auto found = std::find_if(row_.arguments.begin(), row_.arguments.end(),
                                    [&](const RowArgument& a) { return a.name == name; });
    if (found != row_.arguments.end()) return static_cast<std::uint8_t>(found - row_.arguments.begin());
    fail(row_.line,
         fmt::format("'{}' has as many items as '{}' says, which is no argument", counted.name, name));
    return std::nullopt;
  }

  // What only the whole row can tell.
  bool settle() {
    row_.result = given_result_.value_or(usual_result());
    for (RowArgument& argument : row_.arguments) {
      if (argument.counted_by.empty()) continue;
      const auto of = find_argument(argument, argument.counted_by);
      const auto with = argument.counted_with.empty() ? of : find_argument(argument, argument.counted_with);
      if (!of || !with) return false;
      argument.many.of = *of;
      argument.many.with = *with;
      if (argument.each_by.empty()) continue;
      const auto each = find_argument(argument, argument.each_by);
      const auto each_with = argument.each_with.empty() ? each : find_argument(argument, argument.each_with);
      if (!each || !each_with) return false;
      argument.many.each_of = *each;
      argument.many.each_with = *each_with;
    }
    const auto is_va_list = [](const RowArgument& a) { return a.type == "va_list"; };
    const bool has_va_list = std::any_of(row_.arguments.begin(), row_.arguments.end(), is_va_list);
    if (row_.variadic && row_.arguments.size() < 2)
      return fail(row_.line, "@variadic needs a named argument before the last one, which stands for '...'");
    if (row_.passes_va_list() && row_.real.empty())
      return fail(row_.line, "a va_list in place of '...' needs @real(the function that takes a va_list)");
    if (row_.variadic && has_va_list && !row_.passes_va_list())
      return fail(row_.line, "in a @variadic row the va_list is the last argument");
    if (!row_.real.empty() && !row_.passes_va_list() && !row_.list)
      return fail(row_.line, "@real is for @list and for @variadic rows that end in a va_list");
    if (row_.list && !is_whole_list())
      return fail(
          row_.line,
          "@list needs @real, no @variadic, and 'char* const*' as its last argument, or its last two");
    if (row_.makes != Made::file && !row_.opens) return fail(row_.line, "@makes is for rows with @opens");
    if (row_.opens && !makes_a_handle())
      return fail(row_.line, "@opens, but neither the result nor an out argument has the role of a handle");
    const auto is_handle = [](const RowArgument& a) { return info(a.role).handle != HandleKind::none; };
    if (row_.closes && std::none_of(row_.arguments.begin(), row_.arguments.end(), is_handle))
      return fail(row_.line, "@closes, but no argument has the role of a handle");
    return true;
  }

  bool is_whole_list() const {
    const std::size_t at = row_.list_argument();
    const std::size_t after = row_.arguments.size() - at;
    return !row_.real.empty() && !row_.variadic &&
           (after == 1 || (after == 2 && row_.arguments.back().type == "char* const*"));
  }

  Role usual_result() const {
    if (row_.opens && !opens_through_an_argument()) {
      if (row_.result_type == "FILE*") return Role::stream;
      if (row_.result_type == "DIR*") return Role::directory;
      if (row_.result_type == "hid_t") return Role::object;
      return row_.result_type == "void" ? Role::value : Role::file;
    }
    if (row_.result_type == "ssize_t") return Role::bytes;
    return row_.result_type == "off_t" ? Role::offset : Role::value;
  }

  bool opens_through_an_argument() const {
    return std::any_of(row_.arguments.begin(), row_.arguments.end(), [](const RowArgument& a) {
      return a.direction != Direction::in && info(a.role).handle != HandleKind::none;
    });
  }
  bool makes_a_handle() const {
    return opens_through_an_argument() || info(row_.result).handle != HandleKind::none;
  }

  std::size_t position_of(std::string_view mark, std::size_t from) const {
    while (from < tokens_.size() && tokens_[from].text != mark) ++from;
    return from;
  }

  // The ',' or ')' that ends the argument at next_, past the parentheses of function pointers.
  std::size_t end_of_argument() const {
    std::size_t depth = 0;
    for (std::size_t i = next_; i < tokens_.size(); ++i) {
      const std::string_view text = tokens_[i].text;
      if (depth == 0 && (text == "," || text == ")")) return i;
      if (text == "(") ++depth;
      if (text == ")") --depth;
    }
    return tokens_.size();
  }

  Problems& problems_;
  std::span<const Token> tokens_;
  std::size_t next_ = 0;
  int last_line_ = 0;
  std::vector<std::string_view> seen_;
  std::optional<Role> given_result_;
  Row row_;
};

std::string stem_of(const std::string& file) {
  const std::string base = file.substr(file.rfind('/') + 1);
  return base.substr(0, base.find('.'));
}

}  // namespace

Table parse_table(const std::string& file, std::string_view text, Problems& problems) {
  Table table;
  table.file = file;
  table.name = stem_of(file);
  if (!is_free_name(table.name)) {
    problems.push_back(
        {file, 1, fmt::format("the file's name names the layer, and '{}' is no C++ name", table.name)});
    return table;
  }
  Lexed lexed = lex(file, text, problems);
  table.includes = std::move(lexed.includes);
  table.includes_if = std::move(lexed.includes_if);
  table.library = std::move(lexed.library);
  table.layer = lexed.layer.empty() ? table.name : std::move(lexed.layer);
  table.varies = lexed.varies;
  table.profiled = lexed.profiled;
  if (!lexed.failure.empty()) {
    const auto word = std::find(kFailureWords.begin(), kFailureWords.end(), lexed.failure);
    if (word == kFailureWords.end())
      problems.push_back(
          {file, lexed.failure_line,
           fmt::format("@failure takes one of {}, not '{}'", fmt::join(kFailureWords, ", "), lexed.failure)});
    else
      table.failure = static_cast<Failure>(word - kFailureWords.begin());
  }
  for (const LogicalRow& logical : lexed.rows) {
    if (logical.damaged) continue;
    if (auto row = RowParser(table, logical, problems).run()) table.rows.push_back(std::move(*row));
  }
  return table;
}

}  // namespace weir::host
