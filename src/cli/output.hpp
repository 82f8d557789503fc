#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "base/table.hpp"

namespace weir::cli {

// A number for people, to so many significant digits; "-" where there is none.
std::string number(double value, int digits = 5);

// Where a command's answer goes: standard output, buffered. A reader that closed the pipe has seen enough:
// what follows is dropped and the command still succeeds. A full disk is an error of finish().
class Output {
 public:
  explicit Output(int fd) : fd_(fd) {}

  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    write(fmt::format(format, std::forward<Args>(args)...));
  }
  void write(std::string_view text);
  void json(const Json& document);  // indented, with a newline at the end
  void table(const Table& table);   // as wide as the terminal; 120 columns where there is none

  // Everything written has left this process, or why not.
  Result<void> finish();

  bool to_terminal() const;
  // Nobody reads any more, or the disk is full: what is written from here on is dropped.
  bool closed() const { return closed_; }

 private:
  void flush();

  int fd_;
  std::string buffer_;
  bool closed_ = false;
  Result<void> failed_;
};

}  // namespace weir::cli
