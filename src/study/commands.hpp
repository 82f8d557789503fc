#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "study/state.hpp"

namespace weir::study {

// What a study says on its way, a line or a few.
using Tell = std::function<void(const std::string&)>;

// Weir's own commands, and the program that is studied, as processes: without input, and what they say goes
// to files of the study's directory.
class Commands {
 public:
  Commands(std::filesystem::path weir, const State& state, Tell tell)
      : weir_(std::move(weir)), state_(state), tell_(std::move(tell)) {}

  // A command of weir whose document goes to a file; done once. Its status may be up to `most_status`: 1 is
  // an answer.
  Result<void> document(const std::string& file, std::vector<std::string> words, int most_status = 0) const;
  // A command of weir that runs the program; gives its status. A failure is told with what was said last.
  Result<int> program(std::vector<std::string> words, const std::string& name) const;
  // What it said on its standard output.
  std::filesystem::path output_of(const std::string& name) const;
  // weir report; an Error with its words where there is no page.
  Result<void> page(const std::vector<std::string>& results, const std::string& to,
                    const std::string& title) const;

 private:
  std::filesystem::path weir_;
  const State& state_;
  Tell tell_;
};

}  // namespace weir::study
