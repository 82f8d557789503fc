#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "cli/output.hpp"
#include "semantics/accesses.hpp"
#include "semantics/advice.hpp"
#include "semantics/names.hpp"
#include "semantics/program_order.hpp"
#include "semantics/verdict.hpp"

namespace weir::cli {

// What `weir check` found, for people and for machines.
struct CheckView {
  const semantics::Accesses& accesses;
  const semantics::Verdict& verdict;
  const semantics::ProgramOrder& order;
  const semantics::NameFindings& names;
  std::optional<std::size_t> asked;  // the model that was asked about
  std::string asked_as;              // its name, or the file system's
  std::string asked_note;            // what differs from the model of that name
  bool all_pairs = false;
  std::size_t top = 10;

  // Whether that model, also in what it promises of names, gives all the program needs.
  bool suffices(std::size_t model) const;
  // The model to give advice for: the one asked about, else the next weaker than what suffices.
  std::optional<std::size_t> advised() const;
  // Files that somebody writes and somebody else touches, or that have conflicts; most conflicts first.
  std::vector<const semantics::FileVerdict*> shared_files() const;
  // What the verdict cannot know, as sentences.
  std::vector<std::string> notes() const;
  // A call of the trace as people read it: "pwrite(3</scratch/out.dat>, …, 64, 0)".
  std::string call_text(semantics::Event event) const;
  // The name of the call that it was made inside of, or nothing.
  std::string made_inside(semantics::Event event) const;
  std::string models_text(std::uint32_t models) const;
  // What to do, as a sentence for each place.
  std::vector<std::string> advice_text(const semantics::Advice& advice, std::size_t model) const;
};

void print_check(const CheckView& view, Output& out);
Json check_json(const CheckView& view);

}  // namespace weir::cli
