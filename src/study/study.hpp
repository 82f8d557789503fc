#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace weir::study {

struct Options {
  std::vector<std::string> command;
  std::string directory;             // of the program; found from its trace where it is empty
  std::filesystem::path out;         // where everything is kept
  std::size_t runs = 10;             // of each kind
  std::vector<std::string> compare;  // further models under which it is run on the burst buffer
  std::optional<double> budget_s;
  std::string matrix;            // a store of weir interfere matrix
  std::filesystem::path buffer;  // what the burst buffer may use
  std::filesystem::path weir;    // this program: each step is one of its commands
  Json made;                     // which command this is, by which version, where and when: for the document
};

struct Outcome {
  int status = 0;    // the program's, if it failed; then there is no document
  Json document;     // weir.study/1
  bool same = true;  // results on the burst buffer are those of the own directory
};

// Does what is not done yet, says on the way what it does. What is there already, from a study of the same
// command in the same directory, with the same program and input, that was interrupted or wanted fewer runs,
// is used.
Result<Outcome> run_study(const Options& options, const std::function<void(const std::string&)>& tell);

}  // namespace weir::study
