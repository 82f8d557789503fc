#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "study/state.hpp"

namespace weir::study {

// What the results of runs on the burst buffer are worth against those in the own directory.
struct Verdict {
  bool same = true;                   // but for what differs from run to run anyhow
  std::size_t compared = 0;           // runs on the burst buffer
  std::size_t different = 0;          // of them
  std::vector<std::string> varying;   // names that differ between runs in the own directory
  std::vector<std::string> examples;  // of what is different
};
Verdict verdict_of(const std::vector<Run>& runs);

// What a study has come to.
struct Facts {
  std::vector<std::string> command;
  std::string model;       // under which the program was on the burst buffer; empty where it was not
  std::string page;        // empty where none was made
  std::size_t wanted = 0;  // runs of each kind
  std::optional<double> budget_s;
  bool stopped_by_budget = false;
  std::vector<std::string> documents;  // files, in the order of the page
  std::vector<std::string> notes;
  Json made;  // how the document came about
};

// weir.study/1: numbers of the single commands are taken from their documents, as they are.
Json study_document(const State& state, const Facts& facts);

// Ten lines for people, from the document.
std::vector<std::string> summary_lines(const Json& document);

}  // namespace weir::study
