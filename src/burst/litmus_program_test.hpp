#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "burst/litmus_model_test.hpp"

// Programs of a few processes on one file, and which of their outcomes a consistency model allows.
namespace weir::burst {

struct LitmusStep {
  enum class Do { open, write, append, read, sync, close };
  Do what = Do::open;
  std::size_t begin = 0;
  std::size_t length = 0;  // of a read
  std::string text;        // to write
};

// What the steps of each process are, one after the other; every process begins with a closed file.
struct LitmusProgram {
  std::string name;
  std::vector<std::vector<LitmusStep>> processes;
};

// What each process has read, in its order.
using LitmusOutcome = std::vector<std::vector<std::string>>;

inline std::string text_of(const LitmusOutcome& outcome) {
  std::string text;
  for (const auto& reads : outcome) {
    text += "[";
    for (const std::string& one : reads) {
      text += "'";
      for (const char byte : one) text += byte == '\0' ? '.' : byte;
      text += "'";
    }
    text += "]";
  }
  return text;
}

// Whether some order of all steps, each done at once, gives this outcome under the model: all orders are
// gone through, as far as they agree with it. `order`: whose step comes when, where that is known.
class LitmusSearch {
 public:
  LitmusSearch(const LitmusProgram& program, const LitmusOutcome& outcome,
               std::vector<std::size_t> order = {})
      : program_(program), outcome_(outcome), order_(std::move(order)) {}

  bool allowed_by(const consistency::Model* model) {
    known_.clear();
    State start{LitmusModel(model, program_.processes.size()),
                std::vector<std::size_t>(program_.processes.size()),
                std::vector<std::size_t>(program_.processes.size()), 0};
    return reaches_end(start);
  }

 private:
  struct State {
    LitmusModel file;
    std::vector<std::size_t> done;  // steps of each process
    std::vector<std::size_t> read;  // of them reads
    std::size_t total = 0;
  };

  bool reaches_end(const State& state) {
    std::string key = state.file.key();
    for (const std::size_t done : state.done) key += "#" + std::to_string(done);
    if (!known_.insert(std::move(key)).second) return false;  // been there
    bool ended = true;
    for (std::size_t p = 0; p < state.done.size(); ++p) {
      if (state.done[p] == program_.processes[p].size()) continue;
      ended = false;
      if (!order_.empty() && order_[state.total] != p) continue;
      for (const bool looks : {true, false}) {
        State next = state;
        if (step(next, p, looks) && reaches_end(next)) return true;
        if (!state.file.is_eventual()) break;
      }
    }
    if (ended) return true;
    if (!state.file.is_eventual()) return false;
    for (std::size_t p = 0; p < state.done.size(); ++p)
      for (std::size_t count = 1; count <= state.file.unpublished(p); ++count) {
        State next = state;
        next.file.publish_some(p, count);
        if (reaches_end(next)) return true;
      }
    return false;
  }

  // False when that is not what was read.
  bool step(State& state, std::size_t p, bool looks) const {
    const LitmusStep& now = program_.processes[p][state.done[p]++];
    ++state.total;
    switch (now.what) {
      case LitmusStep::Do::open:
        state.file.open(p, looks);
        return true;
      case LitmusStep::Do::write:
        state.file.write(p, now.begin, now.text);
        return true;
      case LitmusStep::Do::append:
        state.file.append(p, now.text);
        return true;
      case LitmusStep::Do::sync:
        state.file.sync(p);
        return true;
      case LitmusStep::Do::close:
        state.file.close(p);
        return true;
      case LitmusStep::Do::read:
        return state.file.read(p, now.begin, now.length, looks) == outcome_[p][state.read[p]++];
    }
    return false;
  }

  const LitmusProgram& program_;
  const LitmusOutcome& outcome_;
  std::vector<std::size_t> order_;
  std::set<std::string> known_;
};

// How a program synchronises: after its writes, and before its reads.
enum class LitmusIdiom { bare, sync, reopen };

class LitmusProgramMaker {
 public:
  using Do = LitmusStep::Do;
  using Steps = std::vector<LitmusStep>;

  explicit LitmusProgramMaker(LitmusIdiom idiom) : idiom_(idiom) {}

  // The classical ones; every process closes the file in the end, as the real one does when it is let go.
  std::vector<LitmusProgram> all() const {
    std::vector<LitmusProgram> programs = open_ended();
    for (LitmusProgram& program : programs)
      for (Steps& steps : program.processes) steps = closed(std::move(steps));
    return programs;
  }

 private:
  // Bytes 0 and 8 are the places of those with two variables.
  std::vector<LitmusProgram> open_ended() const {
    return {
        {"message passing",
         {join(write(0, "x"), write(8, "y")), join(read(8, 1), read(0, 1)), join(read(8, 1), read(0, 1))}},
        {"store buffering", {join(write(0, "x"), read(8, 1)), join(write(8, "y"), read(0, 1))}},
        {"read after write", {join(write(0, "aa"), read(0, 4)), join(read(0, 4), write(2, "b"), read(0, 4))}},
        {"write after write", {write(0, "aaaa"), write(0, "bbbb"), join(read(0, 4), read(0, 4))}},
        {"overlapping parts",
         {write(0, "aaaaaa"), write(3, "bbbbbb"), write(1, "cc"), join(read(0, 16), read(0, 16))}},
        {"append race",
         {join(append("aa"), read(0, 16)), join(append("bbb"), read(0, 16)), join(read(0, 16), read(0, 16))}},
        {"close to open", {closed(write(0, "x")), join(closed(read(0, 1)), read(0, 1))}},
        {"independent reads of independent writes",
         {write(0, "x"), write(8, "y"), join(read(0, 1), read(8, 1)), join(read(8, 1), read(0, 1))}}};
  }

  template <class... More>
  static Steps join(const Steps& first, const More&... more) {
    Steps all = first;
    (append_steps(all, more), ...);
    return all;
  }
  // Each part opens the file only where it is not open.
  static void append_steps(Steps& all, const Steps& more) {
    for (const LitmusStep& step : more)
      if (step.what != Do::open || all.empty() || all.back().what == Do::close) all.push_back(step);
  }
  static Steps closed(Steps steps) {
    if (steps.back().what != Do::close) steps.push_back({Do::close, 0, 0, {}});
    return steps;
  }
  Steps published(LitmusStep step) const {
    Steps steps{{Do::open, 0, 0, {}}, std::move(step)};
    if (idiom_ == LitmusIdiom::sync) steps.push_back({Do::sync, 0, 0, {}});
    return idiom_ == LitmusIdiom::reopen ? closed(steps) : steps;
  }
  Steps write(std::size_t begin, std::string text) const {
    return published({Do::write, begin, 0, std::move(text)});
  }
  Steps append(std::string text) const { return published({Do::append, 0, 0, std::move(text)}); }
  Steps read(std::size_t begin, std::size_t length) const {
    Steps steps{{Do::open, 0, 0, {}}, {Do::read, begin, length, {}}};
    return idiom_ == LitmusIdiom::reopen ? closed(steps) : steps;
  }

  LitmusIdiom idiom_;
};

}  // namespace weir::burst
