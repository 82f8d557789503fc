#include <filesystem>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/progress.hpp"
#include "base/scratch_dir.hpp"
#include "campaign/machine_name.hpp"
#include "campaign/testbed.hpp"
#include "cli/bench.hpp"
#include "cli/interfere.hpp"
#include "interference/run.hpp"
#include "launch/preload.hpp"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;
using interference::Experiment;

// The newest campaign of the store that asks for the same; its sizes are taken over.
Result<std::int64_t> find_same(const campaign::Store& store, Experiment& experiment) {
  const auto all = store.campaigns();
  if (!all) return all.error();
  for (auto at = all->rbegin(); at != all->rend(); ++at) {
    const auto facts = store.campaign(*at);
    if (!facts) return facts.error();
    if (facts->kind != "interference") continue;
    const auto json = parse_json(facts->grid);
    auto kept = json ? interference::experiment_from_json(*json) : Result<Experiment>(json.error());
    if (!kept) return kept.error().in(store.file().string());
    Experiment bare = *kept;
    bare.sizes.clear();
    bare.runs = experiment.runs;
    if (interference::to_json(bare) != interference::to_json(experiment)) continue;
    experiment.sizes = kept->sizes;
    return *at;
  }
  return Error{Errc::not_found, "holds no campaign that asks for the same"}
      .in(store.file().string())
      .with_remedy("leave --resume out to begin one");
}

struct Place {
  std::optional<campaign::Testbed> bed;
  fs::path directory;
};

Result<Place> find_place(const MeasureOptions& options, Bytes room) {
  Place place;
  if (options.testbed.empty() == options.directory.empty())
    return Error{Errc::usage,
                 options.testbed.empty() ? "no directory" : "--dir and --testbed exclude each other"}
        .with_remedy(
            "give --dir on the storage to be measured, or --testbed loop to try it on this machine as root");
  if (options.testbed.empty()) {
    place.directory = options.directory;
    std::error_code fault;
    if (!fs::is_directory(place.directory, fault))
      return Error{Errc::not_found, "is no directory"}
          .in(options.directory)
          .with_remedy("make it, or give another --dir");
    if (::access(place.directory.c_str(), W_OK | X_OK) != 0)
      return Error::from_errno(errno, "cannot be written")
          .in(options.directory)
          .with_remedy("give another --dir");
    return place;
  }
  const auto rate = parse_bytes(options.rate);
  if (!rate) return rate.error().in("--rate");
  const auto dirty = parse_bytes(options.dirty);
  if (!dirty) return dirty.error().in("--dirty");
  auto bed = campaign::Testbed::up({.count = 1, .size = room, .rate = *rate, .dirty = *dirty});
  if (!bed) return bed.error();
  place.directory = bed->targets().front();
  place.bed = *std::move(bed);
  return place;
}

class Bar {
 public:
  void calibrating(std::size_t done, std::size_t of) {
    if (!bar_) bar_.emplace("finding sizes", of);
    if (done > 0) bar_->advance();
  }
  void running(const interference::Progress& progress) {
    if (!running_) {
      bar_.reset();
      bar_.emplace("running", progress.planned);
      bar_->advance(progress.done);
      running_ = true;
    } else {
      bar_->advance();
    }
  }

 private:
  std::optional<weir::Progress> bar_;
  bool running_ = false;
};

// The store of the user, or one that goes with this process.
struct Kept {
  std::unique_ptr<ScratchDir> scratch;
  fs::path file;
};

Result<Measured> read_only(const MeasureOptions& options) {
  auto opened = open_campaign(options.from);
  if (!opened) return opened.error();
  auto cells =
      interference::read_cells(opened->store, opened->number, {.disturbed_too = options.disturbed_too});
  if (!cells) return cells.error();
  return Measured{*std::move(cells), opened->store.file().string(), opened->number, false};
}

}  // namespace

Result<std::vector<Bytes>> sizes_in(const std::vector<std::string>& texts, const std::string& flag) {
  std::vector<Bytes> sizes;
  for (const std::string& text : texts) {
    const auto size = parse_bytes(text);
    if (!size) return size.error().in(flag);
    if (size->count == 0)
      return Error{Errc::usage, "a size of 0"}.in(flag).with_remedy("write for example 1M");
    sizes.push_back(*size);
  }
  return sizes;
}

Result<void> apply(const MeasureOptions& options, Experiment& experiment) {
  for (const std::string& command : options.commands) {
    auto load = interference::command_load(command);
    if (!load) return load.error().in("--command");
    experiment.loads.push_back(*std::move(load));
  }
  const auto time = parse_duration(options.time);
  if (!time) return time.error().in("--time");
  const auto period = parse_duration(options.period);
  if (!period) return period.error().in("--period");
  if (period->count < 10'000'000)
    return Error{Errc::usage, "shorter than 10 ms"}.in("--period").with_remedy("give a time such as 2s");
  if (!options.size.empty()) {
    const auto size = parse_bytes(options.size);
    if (!size) return size.error().in("--size");
    experiment.size = *size;
  }
  experiment.time = *time;
  experiment.period = *period;
  experiment.runs = options.runs;
  experiment.seed = options.seed;
  return {};
}

Result<std::size_t> load_named(const std::string& name, Experiment& experiment) {
  auto pattern = interference::pattern(name);
  const std::string& full = pattern ? pattern->name : name;
  for (std::size_t i = 0; i < experiment.loads.size(); ++i)
    if (experiment.loads[i].name == full) return i;
  if (!pattern) return pattern.error();
  experiment.loads.push_back(*std::move(pattern));
  return experiment.loads.size() - 1;
}

Result<Measured> measure(const MeasureOptions& options, Experiment experiment) {
  if (!options.from.empty()) return read_only(options);
  const auto room = parse_bytes(options.room);
  if (!room) return room.error().in("--room");
  if (options.resume && options.db.empty())
    return Error{Errc::usage, "--resume needs to know which store"}.with_remedy("give --db FILE");
  auto place = find_place(options, *room);
  if (!place) return place.error();
  Kept kept;
  kept.file = options.db;
  if (options.db.empty()) {
    kept.scratch = std::make_unique<ScratchDir>();
    kept.file = kept.scratch->path() / "interference.db";
  }
  auto store = campaign::Store::open(kept.file);
  if (!store) return store.error();
  interference::RunOptions run;
  run.directory = place->directory;
  run.watched.monitors = !options.no_monitors;
  run.machine = options.machine.empty() ? campaign::machine_name() : options.machine;
  run.room = *room;
  if (options.count_files) {
    const auto library = launch::find_preload_library("weir-slices-posix");
    if (!library) return library.error();
    run.counters = *library;
  }
  Bar bar;
  std::int64_t number = 0;
  if (options.resume) {
    const auto same = find_same(*store, experiment);
    if (!same) return same.error();
    number = *same;
  } else {
    const auto sized = interference::calibrate(
        experiment, run, [&](std::size_t done, std::size_t of) { bar.calibrating(done, of); });
    if (!sized) return sized.error();
    const auto added = interference::add_campaign(*store, experiment, place->directory);
    if (!added) return added.error();
    number = *added;
  }
  const auto progress = interference::run_experiment(*store, number, experiment, run,
                                                     [&](const auto& now) { bar.running(now); });
  if (!progress && progress.error().code() != Errc::interrupted) return progress.error();
  if (progress && progress->failed > 0)
    warn("{} runs failed; the first: {}", progress->failed, progress->first_failure);
  if (progress && progress->disturbed > 0)
    warn("{} of {} runs were disturbed by others{}; the first: {}", progress->disturbed, progress->planned,
         options.disturbed_too ? "" : " and are left out", progress->first_disturbance);
  auto cells = interference::read_cells(*store, number, {.disturbed_too = options.disturbed_too});
  if (!cells) return cells.error();
  return Measured{*std::move(cells), options.db, number, !progress};
}

void add_measure_options(CLI::App& app, MeasureOptions& options) {
  app.add_option("--dir", options.directory, "where to measure; on the storage in question")
      ->type_name("DIR");
  add_choice(app, "--testbed", options.testbed, {"loop"},
             "make a throttled ext4 on a loop device and measure there; needs root");
  app.add_option("--runs", options.runs, "runs of everything; 9 or more give intervals")
      ->check(CLI::Range(1U, 100'000U))
      ->type_name("N")
      ->capture_default_str();
  app.add_option(
         "--command", options.commands,
         "a program of your own, run by the shell in a new directory there; WEIR_CWD is where you are")
      ->type_name("NAME=COMMAND")
      ->allow_extra_args(false);
  app.add_flag("--count-files", options.count_files,
               "count the files that commands close too, for those whose bytes are not seen");
  app.add_option("--time", options.time, "that each pattern should take alone")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--size", options.size, "that each process moves, instead of finding it by --time")
      ->type_name("SIZE");
  app.add_option("--room", options.room, "space that files of a run may take")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("--db", options.db, "keep every run in this store")->type_name("FILE");
  app.add_flag("--resume", options.resume, "go on with what was cut off; the same options and --db");
  app.add_option("--from", options.from, "show what a store holds, measure nothing")->type_name("DB");
  app.add_option("--csv", options.csv, "also write the cells there")->type_name("FILE");
  add_json_flag(app, options.json);
  const std::string few = "For few";
  app.add_option("--period", options.period, "of signals with a duty below 100 %")
      ->type_name("TIME")
      ->capture_default_str()
      ->group(few);
  app.add_flag("--disturbed-too", options.disturbed_too, "count runs that others disturbed")->group(few);
  app.add_flag("--no-monitors", options.no_monitors, "do not watch the storage, nor judge runs by it")
      ->group(few);
  app.add_option("--rate", options.rate, "what a testbed takes in a second")
      ->type_name("SIZE")
      ->capture_default_str()
      ->group(few);
  app.add_option("--dirty", options.dirty, "what may wait in memory for a testbed")
      ->type_name("SIZE")
      ->capture_default_str()
      ->group(few);
  app.add_option("--seed", options.seed, "of the order of runs")->type_name("S")->group(few);
  app.add_option("--machine", options.machine, "the name of this machine's rows; the host's")
      ->type_name("NAME")
      ->group(few);
}

}  // namespace weir::cli
