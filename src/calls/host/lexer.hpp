#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calls/host/problem.hpp"

namespace weir::host {

struct Token {
  enum class Kind { word, number, mark };
  Kind kind;
  std::string_view text;  // points into the table's text
  int line;
};

// One row of a table, whatever number of lines it was written on.
struct LogicalRow {
  int line = 0;
  std::vector<Token> tokens;
  bool damaged = false;  // has a problem already; reading on would only report its echo
};

struct Lexed {
  std::vector<LogicalRow> rows;
  std::vector<std::string> includes;  // "<fcntl.h>", as written
  std::vector<std::string> includes_if;
  std::string library;  // of "@library liburing.so"
  std::string failure;  // of "@failure nonzero"
  std::string layer;    // of "@layer hdf5"
  int failure_line = 0;
  bool profiled = false;
  bool varies = false;
};

// Splits a table into rows: '#' starts a comment, a line that begins with white space continues the row
// above it, a word with '@' in the first column is a directive. Any bytes may come in; what does
// not belong in a table is a problem with its line. The result points into `text`.
Lexed lex(const std::string& file, std::string_view text, Problems& problems);

}  // namespace weir::host
