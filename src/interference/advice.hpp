#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "interference/cells.hpp"
#include "interference/classify.hpp"

namespace weir::interference {

// A program of a set that may share storage.
struct Program {
  std::string name;
  Class found;
};
// "NAME=FILE" with what `weir interfere classify --json` wrote, or "NAME=PATTERN:CHUNK[:DUTY]"
// ("sim=owc:1M:25%").
Result<Program> parse_program(std::string_view text);

// A share of its throughput that a program is expected to lose, in percent; with an interval.
struct Expected {
  double percent = 0, low = 0, high = 0;
};

// What a probe loses beside a signal, from cells of the storage in question: by pattern, interpolated between
// measured chunk sizes on a logarithmic scale, in proportion to the signal's duty. Where only equal chunks
// were measured and these differ, the interval spans what either size would give. A chunk outside the
// measured range takes the nearest, which `notes` then says. An Error where the cells lack a pair of
// patterns.
Result<Expected> expected_loss(const Cells& cells, const Program& probe, const Program& signal,
                               std::vector<std::string>& notes);

struct PairAdvice {
  std::size_t first = 0, second = 0;  // places among the programs
  Expected first_loss, second_loss;
  // How many times longer their I/O takes together than apart, the mean of both.
  double slowdown = 1, slowdown_low = 1, slowdown_high = 1;

  // Together they take longer than one after the other would, whatever the interval leaves open: they are
  // better kept apart, in time or on different targets.
  bool keep_apart() const { return slowdown_low > 2; }
  // Of the time that their I/O takes together, in percent.
  Expected gain_apart() const;
};

struct Advice {
  std::vector<Program> programs;
  std::vector<PairAdvice> pairs;  // best together first
  // Programs run two at a time: which should share the storage, and which worst could. Places in `pairs`.
  std::vector<std::size_t> together, worst;
  double slowdown_together = 1, slowdown_worst = 1;  // means over programs
  std::vector<Expected> all_at_once;                 // of each program, when all run at the same time
  std::vector<std::string> notes;
};

// At most 16 programs; the pairs to keep apart are the last of `pairs`.
Result<Advice> advise(const Cells& cells, std::vector<Program> programs);

Json to_json(const Advice& advice);

}  // namespace weir::interference
