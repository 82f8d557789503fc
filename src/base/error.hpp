#pragma once

#include <string>
#include <string_view>

namespace weir {

// What kind of failure it is; decides the exit code of `weir` (see exit_code()).
enum class Errc {
  usage,        // the caller asked for something that makes no sense
  not_found,    // a file, column, group or name that is not there
  unreadable,   // it is there and may not or can not be read
  bad_data,     // it was read and is damaged, truncated or of another kind
  unsupported,  // a newer version, a feature this build leaves out
  too_big,      // beyond a stated limit
  lacking,      // the machine lacks a library, a device or a right
  io,           // the operating system refused a write, a rename, a connection
  full,         // no space left
  interrupted,  // Ctrl-C
  internal,     // a fault of Weir
};

std::string_view name(Errc code);

// A failure a healthy program can meet: what happened, where, and what to do about it.
// Reads as "context: message; remedy". Contexts are added on the way up with in().
class Error {
 public:
  Error(Errc code, std::string message) : code_(code), message_(std::move(message)) {}

  // From errno: "cannot open: Permission denied" with the Errc that fits.
  static Error from_errno(int error_number, std::string_view what);

  // The same failure seen from further out: Error{...}.in("column 3").in("runs.csv").
  [[nodiscard]] Error in(std::string_view context) const&;
  [[nodiscard]] Error in(std::string_view context) &&;
  [[nodiscard]] Error with_remedy(std::string_view remedy) const;

  Errc code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& context() const { return context_; }
  const std::string& remedy() const { return remedy_; }
  std::string text() const;

 private:
  Errc code_;
  std::string message_;
  std::string context_;
  std::string remedy_;
};

// 1 is an answer, not an error: 2 wrong use or unreadable input, 3 the machine lacks something, 4 the rest.
int exit_code(Errc code);

}  // namespace weir
