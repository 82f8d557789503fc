#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace weir::stats {

// One column of a configuration and its value as the input spelled it.
struct KeyPart {
  std::string column;
  std::string value;
  bool operator==(const KeyPart&) const = default;
};

// The repeated measurements of one configuration, in run order. Values are finite.
struct Group {
  std::vector<KeyPart> key;  // in the order the columns were asked for; empty when nothing was grouped
  std::vector<double> values;
  std::size_t skipped = 0;  // values of this group that were left out, each counted in the report
};

// "threads=4 file_size_kb=64", or "all" for a group without a key.
std::string label(const Group& group);

enum class ProblemKind { text, nan, infinite, missing, fields, json };
constexpr std::size_t kProblemKinds = 6;

// One place in the input that could not be used.
struct Problem {
  ProblemKind kind = ProblemKind::text;
  std::size_t line = 0;  // from 1, as editors count
  std::string column;    // name, or number where the input has no header
  std::string text;      // what stood there, cut to a readable length

  std::string message() const;  // "line 7, column 'x': 'abc' is not a number"
};

// What reading left out. Empty for clean input.
struct InputReport {
  std::size_t rows = 0;    // data rows seen, used or not
  std::size_t values = 0;  // values kept
  std::size_t skipped = 0;
  std::array<std::size_t, kProblemKinds> by_kind{};  // indexed by ProblemKind
  std::vector<Problem> first;                        // the first kListedProblems of them
  std::vector<std::string> empty_groups;             // labels of groups left without a value, and left out

  static constexpr std::size_t kListedProblems = 20;
  std::size_t count(ProblemKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
  bool clean() const { return skipped == 0 && empty_groups.empty(); }
};

// What every model of this room works on, whether it came from a text file or a results store.
struct Samples {
  std::string source;         // file name, "standard input"
  std::string column;         // the measured quantity; the prefix for wide input
  std::vector<Group> groups;  // in order of first appearance; never empty, nor is any group
  InputReport report;
};

}  // namespace weir::stats
