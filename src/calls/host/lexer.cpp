#include "calls/host/lexer.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace weir::host {
namespace {

constexpr std::size_t kLargestTable = std::size_t{4} << 20;
constexpr std::string_view kMarks = "(),:*[]@";
constexpr std::string_view kInclude = "@include";
constexpr std::string_view kIncludeIf = "@include_if";
constexpr std::string_view kLibrary = "@library";
constexpr std::string_view kFailure = "@failure";
constexpr std::string_view kLayer = "@layer";

// Not std::isalpha: the locale has no say in what a table means.
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

bool is_header_name(std::string_view text) {
  if (text.size() < 3) return false;
  const bool quoted =
      (text.front() == '<' && text.back() == '>') || (text.front() == '"' && text.back() == '"');
  const std::string_view inside = text.substr(1, text.size() - 2);
  return quoted && std::all_of(inside.begin(), inside.end(), [](char c) {
           return is_letter(c) || is_digit(c) || c == '/' || c == '.' || c == '-' || c == '+';
         });
}

class Lexer {
 public:
  Lexer(const std::string& file, Problems& problems) : file_(file), problems_(problems) {}

  Lexed run(std::string_view text) {
    if (text.size() > kLargestTable) {
      problem(1, fmt::format("the table has {} bytes; at most {} make sense", text.size(), kLargestTable));
      return {};
    }
    for (int line = 1; !text.empty(); ++line) {
      const std::size_t end = text.find('\n');
      read_line(text.substr(0, end), line);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return std::move(lexed_);
  }

 private:
  void read_line(std::string_view text, int line) {
    text = text.substr(0, text.find('#'));
    if (trimmed(text).empty()) return;
    const bool continues = is_blank(text.front());
    if (!continues && text.starts_with(kIncludeIf)) {
      read_include(trimmed(text.substr(kIncludeIf.size())), line, lexed_.includes_if);
      return;
    }
    if (!continues && text.starts_with(kInclude)) {
      read_include(trimmed(text.substr(kInclude.size())), line, lexed_.includes);
      return;
    }
    if (!continues && text.starts_with(kLibrary)) {
      read_library(trimmed(text.substr(kLibrary.size())), line);
      return;
    }
    if (!continues && text.starts_with(kLayer)) {
      if (!lexed_.rows.empty()) problem(line, "@layer stands before the first row");
      lexed_.layer = trimmed(text.substr(kLayer.size()));
      return;
    }
    if (!continues && text.starts_with(kFailure)) {
      if (!lexed_.rows.empty()) problem(line, "@failure stands before the first row");
      lexed_.failure = trimmed(text.substr(kFailure.size()));
      lexed_.failure_line = line;
      return;
    }
    if (!continues && (trimmed(text) == "@profiled" || trimmed(text) == "@varies")) {
      if (!lexed_.rows.empty()) problem(line, fmt::format("{} stands before the first row", trimmed(text)));
      (trimmed(text) == "@profiled" ? lexed_.profiled : lexed_.varies) = true;
      return;
    }
    if (continues && lexed_.rows.empty()) {
      problem(line, "this line is indented, so it continues a row, and there is no row above it");
      return;
    }
    if (!continues) lexed_.rows.push_back({line, {}, false});
    read_tokens(text, line, lexed_.rows.back());
  }

  void read_include(std::string_view header, int line, std::vector<std::string>& includes) {
    if (!lexed_.rows.empty()) {
      problem(line, "@include stands before the first row");
    } else if (!is_header_name(header)) {
      problem(line, "@include takes one header: @include <unistd.h>");
    } else {
      includes.emplace_back(header);
    }
  }

  // What the names of its files begin with: liburing.so for liburing.so.2, libmpi for those of two makers.
  void read_library(std::string_view name, int line) {
    const bool good = name.starts_with("lib") && std::all_of(name.begin(), name.end(), [](char c) {
                        return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '+';
                      });
    if (!lexed_.rows.empty()) {
      problem(line, "@library stands before the first row");
    } else if (!good || !lexed_.library.empty()) {
      problem(line, "@library takes one name, once: @library liburing.so");
    } else {
      lexed_.library = name;
    }
  }

  void read_tokens(std::string_view text, int line, LogicalRow& row) {
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t begin = at;
      const char c = text[at];
      if (is_blank(c)) {
        ++at;
      } else if (is_letter(c) || is_digit(c)) {
        while (at < text.size() && (is_letter(text[at]) || is_digit(text[at]))) ++at;
        const auto kind = is_digit(c) ? Token::Kind::number : Token::Kind::word;
        row.tokens.push_back({kind, text.substr(begin, at - begin), line});
      } else if (kMarks.find(c) != std::string_view::npos) {
        ++at;
        row.tokens.push_back({Token::Kind::mark, text.substr(begin, 1), line});
      } else {
        row.damaged = true;
        const auto byte = static_cast<unsigned char>(c);
        const bool printable = byte > 0x20 && byte < 0x7f;
        problem(line, printable ? fmt::format("'{}' has no place in a row", c)
                                : fmt::format("byte {:#04x} has no place in a row", byte));
        return;
      }
    }
  }

  void problem(int line, std::string text) { problems_.push_back({file_, line, std::move(text)}); }

  const std::string& file_;
  Problems& problems_;
  Lexed lexed_;
};

}  // namespace

Lexed lex(const std::string& file, std::string_view text, Problems& problems) {
  return Lexer(file, problems).run(text);
}

}  // namespace weir::host
