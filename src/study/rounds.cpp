#include "study/rounds.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/random.hpp"
#include "base/unique_fd.hpp"
#include "study/seconds.hpp"

namespace weir::study {
namespace {

namespace fs = std::filesystem;

// A directory for a moment, in the place given; the state knows of it.
class Workplace {
 public:
  static Result<Workplace> make(const fs::path& base, State& state) {
    std::string name = (base / fmt::format("{}XXXXXX", State::kWorkplace)).string();
    if (::mkdtemp(name.data()) == nullptr)
      return Error::from_errno(errno, "a directory cannot be made in it").in(base.string());
    state.workplace = name;
    Workplace made(state);
    if (auto saved = state.save(); !saved) return saved.error();
    return made;
  }
  Workplace(Workplace&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Workplace& operator=(Workplace&&) = delete;
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace() { remove(); }
  void remove() {
    if (state_ == nullptr) return;
    std::error_code ignored;
    fs::remove_all(std::exchange(state_->workplace, {}), ignored);
    state_ = nullptr;
  }
  const fs::path& path() const { return state_->workplace; }

 private:
  explicit Workplace(State& state) : state_(&state) {}
  State* state_;
};

}  // namespace

Original::Options original_options(const State& state) {
  return {.directory = state.place, .copies = state.file("original"), .skip = {state.directory()}};
}

Rounds::Rounds(const Options& options, State& state, const Commands& commands, Tell tell)
    : options_(options),
      state_(state),
      commands_(commands),
      tell_(std::move(tell)),
      begin_s_(now_s()),
      kinds_{std::string(kOwn)} {}

std::size_t Rounds::done(const std::string& where) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(state_.runs, [&](const Run& run) { return run.where == where; }));
}

std::vector<std::string> Rounds::changed_before() const {
  return original_ ? original_->changed_before() : std::vector<std::string>{};
}

Work Rounds::work() const {
  Work made;
  made.where = kinds_;
  made.wanted = options_.runs;
  made.budget_s = options_.budget_s;
  made.spent_s = now_s() - begin_s_;
  if (state_.traced) made.traced_s = state_.traced_s;
  for (const std::string& where : kinds_) {
    double sum = 0;
    for (const Run& run : state_.runs)
      if (run.where == where) sum += run.start_s + run.run_s + run.flush_s;
    const std::size_t n = done(where);
    double typical = n > 0 ? sum / static_cast<double>(n) : 0;
    if (const auto known = costs_.find(where); known != costs_.end())
      typical = std::max(typical, known->second);
    made.done.push_back(n);
    made.typical_s.push_back(typical);
  }
  return made;
}

Result<void> Rounds::compare_results(Run& run) {
  const auto changed = original_->changed();
  if (!changed) return changed.error();
  const fs::path reference = state_.file("reference");
  if (state_.runs.empty()) {
    state_.removed = changed->removed;
    return copy_entries(state_.place, changed->entries, reference);
  }
  const auto compared = compare(reference, state_.removed.value_or(changed->removed), state_.place, *changed);
  if (!compared) return compared.error();
  state_.compared_files = compared->files;
  if (run.on_burst()) state_.compared_bytes += compared->bytes;
  run.differences = compared->differences;
  return {};
}

// What weir run and the counters say of a run that is over.
Result<void> Rounds::count(const std::string& name, const fs::path& slices, Run& run) {
  if (run.on_burst()) {
    const auto said = read_text(commands_.output_of(name));
    if (!said) return said.error();
    auto document = last_document(*said, "weir.run/1");
    if (!document) return document.error().in(name);
    run.run_s = document->value("program_s", run.run_s);
    run.start_s = document->value("start_s", 0.0);
    run.flush_s = document->value("flush_s", 0.0);
    run.document = *std::move(document);
  }
  return add_counters(slices, run);
}

void Rounds::tell_of(const Run& run) const {
  const auto left = left_s(work());
  tell_(fmt::format(
      "run {} of {}, {}: I/O {}, run {}{}{}", run.number, options_.runs * kinds_.size(),
      run.on_burst() ? fmt::format("burst buffer under {}", run.where) : std::string("own directory"),
      seconds(run.io_s), seconds(run.run_s),
      run.differences.empty() ? ""
                              : fmt::format(", {} files differ from the first run's", run.differences.size()),
      left && *left > 0 ? fmt::format("; about {} left", seconds(*left)) : ""));
}

Result<int> Rounds::one(const std::string& where) {
  Run run;
  run.number = state_.runs.size() + 1;
  run.where = where;
  const double begin = now_s();
  if (const auto done = original_->put_back(); !done) return done.error();
  auto workplace = Workplace::make(options_.buffer, state_);
  if (!workplace) return workplace.error();
  if (const auto directory = open_file(state_.place, O_RDONLY | O_DIRECTORY); directory)
    static_cast<void>(::syncfs(directory->get()));  // what others left to be written is no part of this run
  const fs::path buffer = workplace->path() / "buffer", slices = workplace->path() / "slices";
  std::error_code failed;
  fs::create_directories(buffer, failed);
  if (failed) return Error::from_errno(failed.value(), "cannot be made").in(buffer.string());
  std::vector<std::string> words;
  if (run.on_burst())
    words = {"run",           "--dir",  state_.place, "--consistency",       where, "--buffer",
             buffer.string(), "--json", "--",         options_.weir.string()};
  words.insert(words.end(), {"interfere", "slices", "--out", slices.string(), "--under", state_.place,
                             "--under", buffer.string(), "--"});
  words.insert(words.end(), options_.command.begin(), options_.command.end());
  const std::string name = fmt::format("{:03}-{}", run.number, where);
  const double started = now_s();
  auto status = commands_.program(words, name);
  if (!status || *status != 0) return status;
  run.run_s = now_s() - started;
  if (const auto counted = count(name, slices, run); !counted) return counted.error();
  if (const auto compared = compare_results(run); !compared) return compared.error();
  workplace->remove();
  costs_[where] = now_s() - begin;
  state_.runs.push_back(std::move(run));
  if (const auto saved = state_.save(); !saved) return saved.error();
  tell_of(state_.runs.back());
  return 0;
}

Result<int> Rounds::run() {
  auto original = Original::read(original_options(state_), state_.original);
  if (!original) return original.error().in(state_.file("state.json").string());
  original_ = *std::move(original);
  const std::size_t before = state_.runs.size();
  Random random(1, before);
  while (another_round(work())) {
    std::vector<std::string> round = kinds_;
    // The first of all is in the own directory: the others' results are compared with its.
    if (!state_.runs.empty())
      for (std::size_t i = round.size(); i > 1; --i) std::swap(round[i - 1], round[random.below(i)]);
    for (const std::string& where : round) {
      if (done(where) >= options_.runs) continue;
      if (const auto go_on = check_interrupt(); !go_on) return go_on.error();
      auto status = one(where);
      if (!status || *status != 0) return status;
    }
  }
  stopped_ = std::ranges::any_of(kinds_, [&](const auto& where) { return done(where) < options_.runs; });
  if (state_.runs.size() == before) return 0;  // the directory is the user's again
  const auto last = original_->changed();
  if (!last) return last.error();
  const auto left = original_->leave(state_.file("reference"), state_.removed.value_or(last->removed));
  return left ? Result<int>(0) : left.error();
}

}  // namespace weir::study
