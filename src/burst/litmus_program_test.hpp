#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "burst/litmus_model_test.hpp"

// Programs of a few processes on one file, and which of their outcomes a consistency model allows.
namespace weir::burst {

struct LitmusStep {
  enum class Do { open, write, append, read, sync, attach, query, close };
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

// When each step of each process began and ended, by one count for all.
struct LitmusTime {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
using LitmusTimes = std::vector<std::vector<LitmusTime>>;

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
// gone through, as far as they agree with it. Where `times` are known, what had ended before another step
// began comes before it.
class LitmusSearch {
 public:
  LitmusSearch(const LitmusProgram& program, const LitmusOutcome& outcome, LitmusTimes times = {})
      : program_(program), outcome_(outcome), times_(std::move(times)) {}

  bool allowed_by(const consistency::Model* model) {
    known_.clear();
    State start{LitmusModel(model, program_.processes.size()),
                std::vector<std::size_t>(program_.processes.size()),
                std::vector<std::size_t>(program_.processes.size())};
    return reaches_end(start);
  }

 private:
  struct State {
    LitmusModel file;
    std::vector<std::size_t> done;  // steps of each process
    std::vector<std::size_t> read;  // of them reads
  };

  bool reaches_end(const State& state) {
    std::string key = state.file.key();
    for (const std::size_t done : state.done) key += "#" + std::to_string(done);
    if (!known_.insert(std::move(key)).second) return false;  // been there
    bool ended = true;
    for (std::size_t p = 0; p < state.done.size(); ++p) {
      if (state.done[p] == program_.processes[p].size()) continue;
      ended = false;
      if (is_early(state, p)) continue;
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

  // Whether a step that is still to come had ended before the next one of this process began.
  bool is_early(const State& state, std::size_t p) const {
    if (times_.empty()) return false;
    const std::uint64_t begin = times_[p][state.done[p]].begin;
    for (std::size_t other = 0; other < times_.size(); ++other)
      if (other != p && state.done[other] < times_[other].size() &&
          times_[other][state.done[other]].end < begin)
        return true;
    return false;
  }

  // False when that is not what was read.
  bool step(State& state, std::size_t p, bool looks) const {
    const LitmusStep& now = program_.processes[p][state.done[p]++];
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
      case LitmusStep::Do::attach:
        state.file.attach(p);
        return true;
      case LitmusStep::Do::query:
        state.file.query(p);
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
  LitmusTimes times_;
  std::set<std::string> known_;
};

// How a program synchronises: after its writes, and before its reads.
enum class LitmusIdiom { bare, sync, reopen, primitives };

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
    if (idiom_ == LitmusIdiom::primitives) steps.push_back({Do::attach, 0, 0, {}});
    return idiom_ == LitmusIdiom::reopen ? closed(steps) : steps;
  }
  Steps write(std::size_t begin, std::string text) const {
    return published({Do::write, begin, 0, std::move(text)});
  }
  Steps append(std::string text) const { return published({Do::append, 0, 0, std::move(text)}); }
  Steps read(std::size_t begin, std::size_t length) const {
    Steps steps{{Do::open, 0, 0, {}}};
    if (idiom_ == LitmusIdiom::primitives) steps.push_back({Do::query, 0, 0, {}});
    steps.push_back({Do::read, begin, length, {}});
    return idiom_ == LitmusIdiom::reopen ? closed(steps) : steps;
  }

  LitmusIdiom idiom_;
};

// Two to four processes with a dozen steps, drawn at random: few enough that all orders can be gone through.
inline LitmusProgram random_program(Random& random) {
  using Do = LitmusStep::Do;
  constexpr std::size_t kSteps = 12;
  // Appends may come behind the last write: together they stay within the reference's file.
  constexpr std::size_t kWritten = LitmusModel::kBytes - 4;
  std::size_t appends_left = 2;
  char letter = 'a';
  LitmusProgram program{"random", std::vector<std::vector<LitmusStep>>(2 + random.below(3))};
  for (auto& steps : program.processes) {
    const std::size_t length = kSteps / program.processes.size();
    for (steps.push_back({Do::open, 0, 0, {}}); steps.size() <= length;) {
      const std::uint64_t choice = steps.back().what == Do::close ? 14 : random.below(14);
      if (choice < 5) {
        const std::size_t begin = random.below(kWritten);
        const std::size_t bytes = 1 + random.below(std::min<std::size_t>(6, kWritten - begin));
        steps.push_back({Do::write, begin, 0, std::string(bytes, letter++)});
      } else if (choice == 5 && appends_left > 0) {
        --appends_left;
        steps.push_back({Do::append, 0, 0, std::string(1 + random.below(2), letter++)});
      } else if (choice < 10) {
        const std::size_t begin = random.below(3) == 0 ? random.below(kWritten) : 0;
        steps.push_back({Do::read, begin, LitmusModel::kBytes - begin, {}});
      } else {
        constexpr std::array kOthers = {Do::sync, Do::close, Do::attach, Do::query, Do::open};
        steps.push_back({kOthers.at(choice - 10), 0, 0, {}});
      }
    }
    if (steps.back().what != Do::close) steps.push_back({Do::close, 0, 0, {}});
  }
  return program;
}

}  // namespace weir::burst
