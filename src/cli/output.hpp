#pragma once

#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "base/table.hpp"

namespace weir::cli {

// A number for people, to so many significant digits; "-" where there is none.
std::string number(double value, int digits = 5);

// When something was, as documents and pages say it: ISO 8601 in UTC.
std::string date_text(std::time_t when);

// `made` of a document: what Output adds by itself, for documents that are kept as files.
Json made_json(const std::vector<std::string>& command, bool measured);

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
  // One object for machines, indented, with a newline at the end. A document (with a schema) gets `made`:
  // the command and the version, which give the same bytes again wherever they are run.
  void json(Json document);
  // Likewise, of a document that tells what this machine did or is now: `made` has its name and the
  // date too.
  void measured_json(Json document);
  void table(const Table& table);  // as wide as the terminal; 120 columns where there is none

  // What is being run, as it was typed; documents name it.
  void made_by(std::vector<std::string> command) { command_ = std::move(command); }
  const std::vector<std::string>& command() const { return command_; }

  // Everything written has left this process, or why not.
  Result<void> finish();

  bool to_terminal() const;
  // Nobody reads any more, or the disk is full: what is written from here on is dropped.
  bool closed() const { return closed_; }

 private:
  void flush();

  int fd_;
  std::string buffer_;
  std::vector<std::string> command_;
  bool closed_ = false;
  Result<void> failed_;
};

}  // namespace weir::cli
