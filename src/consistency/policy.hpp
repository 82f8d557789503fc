#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "consistency/model.hpp"

namespace weir::consistency {

// Which model each file needs: rows of a pattern and a model's name, the first that matches counts. A text
// file, a row a line:
//
//   # weir policy 1
//   session  /scratch/run/ckpt_*.dat
//   commit   *
//
// A pattern is matched against the absolute name, as the shell does; `*` also stands for slashes. '\' before
// a character takes it as it is. Blanks at the ends of a line and empty lines mean nothing.
struct PolicyRow {
  std::string pattern;
  std::string model;

  friend bool operator==(const PolicyRow&, const PolicyRow&) = default;
};

class FilePolicy {
 public:
  static Result<FilePolicy> parse(std::string_view text, std::string_view file);
  static Result<FilePolicy> read(const std::filesystem::path& path);

  // `model` must be a built-in one.
  void add(std::string_view pattern, std::string_view model);
  const std::vector<PolicyRow>& rows() const { return rows_; }
  // Null where no row matches. A row may also say posix-lock, which is posix to all but the file system.
  const PolicyRow* row_for(std::string_view file) const;
  const Model* model_of(std::string_view file) const;
  // As parse() reads it.
  std::string text() const;

 private:
  std::vector<PolicyRow> rows_;
};

// The pattern that matches this name and no other; in place of a line break, or a blank at its end, any
// character does.
std::string exact_pattern(std::string_view name);

}  // namespace weir::consistency
