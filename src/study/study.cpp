#include "study/study.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.hpp"
#include "study/commands.hpp"
#include "study/directory.hpp"
#include "study/plan.hpp"
#include "study/rounds.hpp"
#include "study/seconds.hpp"
#include "study/summary.hpp"

namespace weir::study {
namespace {

namespace fs = std::filesystem;

constexpr double kPrecision = 0.1;

class Study {
 public:
  Study(const Options& options, State state, const Tell& tell)
      : options_(options),
        state_(std::move(state)),
        tell_(tell),
        commands_(options.weir, state_, tell),
        rounds_(options, state_, commands_, tell) {}

  Result<Outcome> run();

 private:
  // The program's status where it failed, else 0.
  Result<int> trace();
  Result<void> keep_directory();
  Result<void> find_where(std::int64_t since_ns);
  Result<void> look_closer();
  Result<void> advise();
  Result<void> model_samples();
  Result<Outcome> conclude();
  // The documents of a page, in its order; those of runs are written for it.
  Result<std::vector<std::string>> documents() const;

  // The kinds of runs; the model's name is empty before it is known.
  std::vector<std::string> kinds() const;
  std::string model() const;
  std::string file(const std::string& name) const { return state_.file(name).string(); }

  const Options& options_;
  State state_;
  Tell tell_;
  Commands commands_;
  Rounds rounds_;
  std::vector<std::string> notes_;
};

// The weakest that is proven enough; where none is, the strongest.
std::string Study::model() const {
  const auto check = state_.document("check.json");
  if (!check || !check->contains("weakest_model") || !check->at("weakest_model").is_string()) return "posix";
  return check->at("weakest_model").get<std::string>();
}

std::vector<std::string> Study::kinds() const {
  std::vector<std::string> made = {std::string(kOwn),
                                   state_.traced && state_.has("check.json") ? model() : std::string()};
  for (const std::string& other : options_.compare)
    if (std::ranges::find(made, other) == made.end()) made.push_back(other);
  return made;
}

// A directory that was named is kept before the first run, and put back if that was interrupted.
Result<void> Study::keep_directory() {
  std::error_code failed;
  fs::create_directories(options_.directory, failed);
  state_.place = fs::canonical(options_.directory, failed).string();
  if (failed) return Error::from_errno(failed.value(), "cannot be used").in(options_.directory);
  if (state_.original.is_null()) {
    auto kept = Original::keep(original_options(state_));
    if (!kept) return kept.error();
    state_.original = kept->to_json();
    return state_.save();
  }
  const auto kept = Original::read(original_options(state_), state_.original);
  if (!kept) return kept.error();
  return kept->put_back();
}

Result<int> Study::trace() {
  if (state_.traced) return 0;
  std::error_code failed;
  fs::remove_all(state_.file("trace"), failed);
  if (!options_.directory.empty())
    if (const auto kept = keep_directory(); !kept) return kept.error();
  tell_("tracing the program");
  std::vector<std::string> words = {"trace", "--out", file("trace"), "--exclude", state_.directory().string(),
                                    "--"};
  words.insert(words.end(), options_.command.begin(), options_.command.end());
  const std::int64_t since_ns = next_file_tick_ns();
  const double begin = now_s();
  auto status = commands_.program(words, "trace");
  if (!status || *status != 0) return status;
  state_.traced_s = now_s() - begin;
  if (const auto found = find_where(since_ns); !found) return found.error();
  state_.traced = true;
  if (const auto saved = state_.save(); !saved) return saved.error();
  return 0;
}

Result<void> Study::find_where(std::int64_t since_ns) {
  const auto touched = find_touched(state_.file("trace"));
  if (!touched) return touched.error();
  state_.processes = touched->processes;
  for (const std::string& name : touched->names) state_.inputs.erase(name);
  const bool asked = !state_.place.empty();
  const auto place = find_place(touched->written, state_.directory());
  if (!place && !asked) return {};
  if (!asked) {
    state_.place = place->directory.string();
    state_.place_share = place->share;
    state_.outside = place->outside;
    if (place->directory == place->directory.root_path())
      return Error{Errc::usage,
                   "the program writes all over the place: its files have no directory in common"}
          .with_remedy("name the one to study with --dir");
    const auto written = names_below(touched->names, place->directory);
    auto kept = Original::keep_after(original_options(state_), since_ns, written);
    if (!kept) return kept.error();
    state_.original = kept->to_json();
  }
  const auto below = [&](const std::string& name) { return name.starts_with(state_.place + "/"); };
  for (const Touched::File& one : touched->written) {
    if (!below(one.name)) {
      if (asked) state_.outside.push_back(one.name);
      continue;
    }
    ++state_.files;
    state_.written_bytes += one.bytes;
  }
  if (asked && state_.files == 0) state_.place.clear();
  return {};
}

Result<void> Study::look_closer() {
  const std::string trace = file("trace");
  tell_("checking which consistency it needs");
  // 1: the answer is no; it is in the document.
  if (auto done = commands_.document("check.json", {"check", trace, "--json", "--policy", file("policy")}, 1);
      !done)
    return done;
  if (auto done = commands_.document("patterns.json", {"patterns", trace, "--json"}); !done) return done;
  std::vector<std::string> classify = {"interfere", "classify", trace, "--json"};
  if (!state_.place.empty()) classify.insert(classify.end(), {"--under", state_.place});
  if (auto done = commands_.document("classify.json", classify); !done) return done;
  return options_.matrix.empty() ? Result<void>() : advise();
}

// What the program would lose beside programs of each pattern, by the matrix that was given: asked again each
// time, since it may be another one.
Result<void> Study::advise() {
  const auto found = state_.document("classify.json");
  if (!found) return found.error();
  std::error_code ignored;
  fs::remove(state_.file("advise.json"), ignored);
  const auto chunk = found->at("class").value("chunk_bytes", std::uint64_t{0});
  std::vector<std::string> words = {"interfere",
                                    "advise",
                                    "--matrix",
                                    options_.matrix,
                                    "--json",
                                    "--program",
                                    "program=" + file("classify.json")};
  for (const std::string_view other : {"owc", "ws", "aw"})
    words.insert(words.end(), {"--program", fmt::format("{0}={0}:{1}", other, chunk)});
  if (auto done = commands_.document("advise.json", words); !done) {
    if (done.error().code() == Errc::interrupted) return done;
    notes_.push_back("what it loses beside others could not be told: " + done.error().text());
  }
  return {};
}

Result<void> Study::model_samples() {
  const std::string csv = runs_csv(state_.runs);
  const auto before = read_text(state_.file("runs.csv"));
  if (!before || *before != csv) {
    std::error_code ignored;
    for (const char* stale : {"fit-io.json", "fit-run.json", "plan.json"})
      fs::remove(state_.file(stale), ignored);
    if (auto kept = replace_file(state_.file("runs.csv"), as_bytes(csv)); !kept) return kept;
  }
  tell_("fitting its I/O and run times");
  // Many components are for many runs.
  const std::size_t runs = std::ranges::min(rounds_.work().done);
  const std::vector<std::string> common = {"--max-components",
                                           runs < 20 ? "1" : runs < 60 ? "2" : "5",
                                           file("runs.csv"),
                                           "--group",
                                           "where",
                                           "--json"};
  const auto document = [&](const std::string& name, std::vector<std::string> words) {
    words.insert(words.end(), common.begin(), common.end());
    return commands_.document(name, std::move(words));
  };
  for (const auto& done : {document("fit-io.json", {"fit", "--column", "io_s"}),
                           document("fit-run.json", {"fit", "--column", "run_s"}),
                           document("plan.json", {"plan", "--column", "io_s", "--quantiles", "0.5,0.9",
                                                  "--precision", fmt::to_string(kPrecision)})}) {
    if (done) continue;
    if (done.error().code() == Errc::interrupted) return done;
    notes_.push_back(done.error().text());
  }
  return {};
}

Result<std::vector<std::string>> Study::documents() const {
  std::vector<std::string> made = {file("study.json"), file("trace")};
  for (const char* name : {"check.json", "patterns.json", "classify.json", "advise.json", "fit-io.json",
                           "fit-run.json", "plan.json"})
    if (state_.has(name)) made.push_back(file(name));
  // The median run under each model stands for all.
  for (const std::string& where : rounds_.kinds()) {
    std::vector<const Run*> runs;
    for (const Run& run : state_.runs)
      if (run.where == where && run.on_burst()) runs.push_back(&run);
    if (runs.empty()) continue;
    std::ranges::sort(runs, {}, &Run::run_s);
    const std::string name = fmt::format("run-{}.json", where);
    const std::string text = runs[(runs.size() - 1) / 2]->document.dump(1);
    if (const auto kept = replace_file(state_.file(name), as_bytes(text)); !kept) return kept.error();
    made.push_back(file(name));
  }
  return made;
}

Result<Outcome> Study::conclude() {
  auto results = documents();
  if (!results) return results.error();
  Facts facts;
  facts.command = options_.command;
  facts.made = options_.made;
  if (!state_.runs.empty()) facts.model = model();
  facts.wanted = options_.runs;
  facts.budget_s = options_.budget_s;
  facts.stopped_by_budget = rounds_.stopped_by_budget();
  if (facts.stopped_by_budget)
    notes_.push_back(fmt::format("the budget ended the runs before there were {} of each", options_.runs));
  for (const std::string& name : rounds_.changed_before())
    notes_.push_back(
        fmt::format("{} was there and the traced run changed it: each run began with what that left "
                    "(--dir keeps a directory before the first)",
                    name));
  facts.notes = notes_;
  facts.documents = *std::move(results);
  facts.page = file("page.html");
  Outcome made;
  const auto keep = [&]() -> Result<void> {
    made.document = study_document(state_, facts);
    const std::string text = made.document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    return replace_file(state_.file("study.json"), as_bytes(text));
  };
  if (const auto kept = keep(); !kept) return kept.error();
  const auto page = commands_.page(facts.documents, facts.page,
                                   fmt::format("weir study: {}", fmt::join(options_.command, " ")));
  if (!page) {
    if (page.error().code() == Errc::interrupted) return page.error();
    facts.page.clear();
    facts.notes.push_back("no page: " + page.error().text());
    if (const auto kept = keep(); !kept) return kept.error();
  }
  made.same = verdict_of(state_.runs).same;
  return made;
}

Result<Outcome> Study::run() {
  rounds_.set_kinds(kinds());
  for (const std::string& line : plan_text(rounds_.work(), state_.directory().string())) tell_(line);
  const auto traced = trace();
  if (!traced) return traced.error();
  if (*traced != 0) return Outcome{*traced, nullptr, true};
  if (const auto done = look_closer(); !done) return done.error();
  if (state_.place.empty()) return conclude();
  rounds_.set_kinds(kinds());
  if (const auto left = left_s(rounds_.work()); left && another_round(rounds_.work()))
    tell_(fmt::format("it writes to {} and needs {}; the traced run took {}: about {} for {} runs of each",
                      state_.place, model(), seconds(state_.traced_s), seconds(*left), options_.runs));
  const auto measured = rounds_.run();
  if (!measured) return measured.error();
  if (*measured != 0) return Outcome{*measured, nullptr, true};
  if (const auto done = model_samples(); !done) return done.error();
  return conclude();
}

}  // namespace

Result<Outcome> run_study(const Options& options, const std::function<void(const std::string&)>& tell) {
  auto state = State::open(options.out, options.command, options.directory);
  if (!state) return state.error();
  return Study(options, *std::move(state), tell).run();
}

}  // namespace weir::study
