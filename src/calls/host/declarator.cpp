#include "calls/host/declarator.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include <fmt/format.h>

namespace weir::host {
namespace {

// C++ keywords a C prototype could use as a name, and the words that are always part of a type.
constexpr std::array<std::string_view, 62> kTaken = {
    "alignas",   "asm",      "auto",      "bool",     "break",    "case",    "catch",     "char",
    "class",     "const",    "constexpr", "continue", "decltype", "default", "delete",    "do",
    "double",    "else",     "enum",      "explicit", "export",   "extern",  "false",     "float",
    "for",       "friend",   "goto",      "if",       "inline",   "int",     "long",      "mutable",
    "namespace", "new",      "noexcept",  "nullptr",  "operator", "private", "protected", "public",
    "register",  "requires", "restrict",  "return",   "short",    "signed",  "sizeof",    "static",
    "struct",    "switch",   "template",  "this",     "throw",    "true",    "try",       "typedef",
    "typename",  "union",    "unsigned",  "using",    "virtual",  "void"};

bool all_ordinary(std::span<const Token> tokens) {
  return std::all_of(tokens.begin(), tokens.end(),
                     [](const Token& t) { return t.kind == Token::Kind::word || t.text == "*"; });
}

// Spaced as clang-format would: "const char* const*", "int (*)(void*, int)".
std::string join(std::span<const Token> tokens) {
  std::string text;
  for (const Token& token : tokens) {
    const bool word = token.kind != Token::Kind::mark;
    const bool after_word = !text.empty() && text.back() != '(' && text.back() != '[';
    const bool opens_pointer = token.text == "(" && !text.empty() && text.back() != ')';
    if ((word && after_word) || opens_pointer) text += ' ';
    text += token.text;
  }
  return text;
}

// TYPE (*name)(TYPES): the name is found and left out of the type.
Declarator function_pointer(std::span<const Token> tokens, std::size_t star) {
  const bool whole = star >= 2 && tokens.size() >= star + 5 && tokens[star + 1].kind == Token::Kind::word &&
                     tokens[star + 2].text == ")" && tokens[star + 3].text == "(" &&
                     tokens.back().text == ")";
  if (!whole) return {{}, {}, true, "a function pointer is TYPE (*name)(TYPES)"};
  std::vector<Token> type(tokens.begin(), tokens.end());
  const std::string name(type[star + 1].text);
  type.erase(type.begin() + static_cast<std::ptrdiff_t>(star) + 1);
  if (!is_free_name(name)) return {{}, {}, true, fmt::format("'{}' can not be a name", name)};
  return {join(type), name, true, {}};
}

// Any number of "[]", "[3]" and "[NAME]".
bool are_bounds(std::span<const Token> tokens) {
  while (!tokens.empty()) {
    const bool sized = tokens.size() >= 2 && tokens[1].kind != Token::Kind::mark;
    const std::size_t close = sized ? 2 : 1;
    if (tokens[0].text != "[" || tokens.size() <= close || tokens[close].text != "]") return false;
    tokens = tokens.subspan(close + 1);
  }
  return true;
}

}  // namespace

bool is_free_name(std::string_view name) {
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  const bool identifier = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  return identifier && std::find(kTaken.begin(), kTaken.end(), name) == kTaken.end();
}

Declarator parse_declarator(std::span<const Token> tokens) {
  for (std::size_t i = 1; i < tokens.size(); ++i)
    if (tokens[i].text == "*" && tokens[i - 1].text == "(") return function_pointer(tokens, i);

  const auto bracket =
      std::find_if(tokens.begin(), tokens.end(), [](const Token& t) { return t.text == "["; });
  const auto before = static_cast<std::size_t>(bracket - tokens.begin());
  const auto bounds = tokens.subspan(before);
  const auto declared = tokens.subspan(0, before);
  if (!all_ordinary(declared)) return {{}, {}, true, "only a type and a name may stand here"};
  if (declared.size() < 2) return {{}, {}, true, "a type and a name are needed"};
  const Token& name = declared.back();
  if (name.kind != Token::Kind::word || !is_free_name(name.text))
    return {{}, {}, true, fmt::format("a name is needed after the type, not '{}'", name.text)};
  if (declared.front().kind != Token::Kind::word) return {{}, {}, true, "a type begins with a word"};

  Declarator made{join(declared.subspan(0, declared.size() - 1)), std::string(name.text), true, {}};
  if (bounds.empty()) return made;
  if (!are_bounds(bounds)) return {{}, {}, false, "after an array's name stand '[]' or '[SIZE]'"};
  made.plain = false;
  const Token& size = bounds[1];
  if (size.kind == Token::Kind::number)
    std::from_chars(size.text.data(), size.text.data() + size.text.size(), made.items);
  const std::string text = join(bounds);
  const std::string rest = text.substr(text.find(']') + 1);
  made.type += rest.empty() ? "*" : fmt::format(" (*){}", rest);
  return made;
}

std::string declare(std::string_view type, std::string_view name) {
  const std::size_t star = type.find("(*)");
  if (star == std::string_view::npos) return fmt::format("{} {}", type, name);
  return fmt::format("{}{}{}", type.substr(0, star + 2), name, type.substr(star + 2));
}

}  // namespace weir::host
