#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/units.hpp"
#include "cli/interfere.hpp"
#include "interference/slices.hpp"
#include "launch/mpi_choice.hpp"
#include "launch/preload.hpp"
#include "monitor/watch.hpp"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFewestSlices = 3;
constexpr std::ptrdiff_t kSilentShown = 8;  // slices of a table before and after the signal

struct Options {
  std::string out, slice = "1s", storage, metric, mpi;
  std::vector<std::string> directories, under, join, command;
  bool json = false;
};

Result<void> make_directory(const fs::path& directory) {
  std::error_code fault;
  if (fs::exists(directory, fault) &&
      (!fs::is_directory(directory, fault) || !fs::is_empty(directory, fault)))
    return Error{Errc::usage, "exists already and is not an empty directory"}
        .in(directory.string())
        .with_remedy("give another --out, or remove it");
  fs::create_directories(directory, fault);
  if (fault) return Error::from_errno(fault.value(), "cannot be made").in(directory.string());
  return {};
}

// The library that knows the program's MPI, or the one without.
Result<fs::path> find_library(const Options& options) {
  launch::Mpi mpi = launch::Mpi::none;
  if (options.mpi.empty()) {
    const auto found = launch::mpi_of(options.command);
    if (!found) return found.error();
    mpi = *found;
  }
  for (const launch::Mpi one : {launch::Mpi::openmpi, launch::Mpi::mpich})
    if (options.mpi == launch::name(one)) mpi = one;
  const bool none = mpi == launch::Mpi::none;
  auto library =
      launch::find_preload_library(fmt::format("weir-slices-{}", none ? "posix" : launch::name(mpi)));
  if (library || none) return library;
  return Error{Errc::lacking,
               fmt::format("this Weir was built without {}, which the program uses", launch::name(mpi))}
      .with_remedy(fmt::format("install lib{}-dev and build Weir again, or count without MPI: --mpi none",
                               launch::name(mpi)));
}

// By their names and by those that the kernel knows them by; a ':' between them.
Result<std::string> below(const std::vector<std::string>& directories) {
  std::vector<std::string> names;
  for (const std::string& given : directories) {
    if (given.find(':') != std::string::npos)
      return Error{Errc::usage, fmt::format("--under '{}': a ':' cannot be in a path here", given)};
    names.push_back(fs::absolute(given).lexically_normal());
    std::error_code missing;
    if (const fs::path real = fs::canonical(given, missing); !missing && real != names.back())
      names.push_back(real);
  }
  return fmt::format("{}", fmt::join(names, ":"));
}

Result<int> record(const Options& options, Output& out) {
  if (options.out.empty())
    return Error{Errc::usage, "no --out"}.with_remedy("give a directory for the slices: --out app.slices");
  const auto slice = parse_duration(options.slice);
  if (!slice) return slice.error().in("--slice");
  if (slice->count < 1'000'000)
    return Error{Errc::usage, "shorter than 1 ms"}.in("--slice").with_remedy("give a time such as 1s");
  if (const auto can = launch::check_preloadable(options.command.front()); !can) return can.error();
  const auto library = find_library(options);
  if (!library) return library.error();
  if (const auto made = make_directory(options.out); !made) return made.error();
  const fs::path directory = fs::absolute(options.out);
  std::optional<monitor::Watch> watch;
  if (!options.directories.empty()) {
    monitor::WatchOptions watched;
    watched.directories.assign(options.directories.begin(), options.directories.end());
    watched.slice = *slice;
    auto started = monitor::Watch::start(watched);
    if (!started) return started.error();
    watch = *std::move(started);
  }
  const auto under = below(options.under);
  if (!under) return under.error();
  const auto status = launch::run_program(
      options.command,
      launch::with_preload({{"WEIR_SLICES_DIR", directory.string()},
                            {"WEIR_SLICES_NS", fmt::to_string(slice->count)},
                            {"WEIR_SLICES_UNDER", *under},
                            {"WEIR_SLICES_NOT_IN", fmt::format("{}", fmt::join(launch::launchers(), ","))}},
                           {*library}));
  if (watch) {
    const monitor::Seen seen = watch->stop();
    Json kept = to_json(seen);
    kept["devices"] = seen.storage.devices;  // without the disks beneath them
    if (const auto put = replace_file(directory / kStorageFile, as_bytes(kept.dump())); !put)
      return put.error();
  }
  if (!status) return status.error();
  std::vector<std::string> notes;
  const auto program = interference::read_program_slices(directory, notes);
  for (const std::string& note : notes) warn("{}", note);
  if (!program && *status == 0) return program.error();
  // The first and the last are not whole.
  if (program && program->slices.size() < kFewestSlices)
    warn("{} slices of {}: too few for anything to be seen in them; try a shorter --slice",
         program->slices.size(), format_duration(*slice));
  if (program && options.json) {
    Json document = json_document("interfere-slices");
    document["directory"] = directory.string();
    document["status"] = *status;
    document["program"] = to_json(*program);
    out.measured_json(document);
  } else if (program) {
    fmt::print(stderr, "{} slices of {} processes in {}\n", program->slices.size(), program->processes,
               options.out);
  }
  return *status;
}

Result<std::optional<Json>> storage_of(const Options& options) {
  fs::path file = options.storage;
  std::error_code fault;
  if (file.empty()) {
    file = fs::path(options.join.front()) / kStorageFile;
    if (!fs::exists(file, fault)) return std::optional<Json>();
  } else if (fs::is_directory(file, fault)) {
    file /= kStorageFile;
  }
  const auto text = read_text(file, std::size_t{1} << 30U);
  if (!text) return text.error();
  auto json = parse_json(*text);
  if (!json) return json.error().in(file.string());
  return std::optional(*std::move(json));
}

std::string bar(double value, double most) {
  return std::string(most > 0 ? static_cast<std::size_t>(24 * std::min(1.0, value / most)) : 0, '#');
}

void print(const interference::Joined& joined, Output& out) {
  const double most = joined.probe.empty() ? 0 : *std::ranges::max_element(joined.probe);
  Table table({{"from start", Table::right},
               {"signal"},
               {"probe", Table::right},
               {"", Table::shrinks},
               {"storage", Table::right}});
  const double scale = 1e-9 * static_cast<double>(joined.slice_ns);
  const int digits = joined.slice_ns % 100'000'000 == 0 ? 1 : joined.slice_ns % 10'000'000 == 0 ? 2 : 3;
  const auto amount = [&](double value) {
    return joined.metric == interference::Metric::closes
               ? fmt::format("{:.0f} files", value)
               : format_bytes(Bytes(static_cast<std::uint64_t>(value)));
  };
  // Long silence before and after the signal says nothing slice by slice.
  const auto first = std::ranges::find(joined.active, true) - joined.active.begin();
  const auto last =
      joined.active.rend() - std::ranges::find(joined.active.rbegin(), joined.active.rend(), true);
  const auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, first - kSilentShown));
  const auto to = std::min(joined.probe.size(), static_cast<std::size_t>(last + kSilentShown));
  for (std::size_t i = from; i < to; ++i)
    table.row(
        {fmt::format("{:.{}f} s", scale * static_cast<double>(i), digits), joined.active[i] ? "active" : "",
         amount(joined.probe[i]), bar(joined.probe[i], most),
         joined.storage.empty() ? "-" : format_bytes(Bytes(static_cast<std::uint64_t>(joined.storage[i])))});
  out.table(table);
  const bool known = std::isfinite(joined.loss.low) && std::isfinite(joined.loss.high);
  out.print(
      "\nWith the signal active ({} slices) the probe loses {:.0f} %{} of what it does with the signal "
      "silent ({} slices).\n",
      joined.active_slices, joined.loss.percent,
      known ? fmt::format(" [{:.0f}, {:.0f}]", joined.loss.low, joined.loss.high) : "", joined.silent_slices);
  out.print("{} of {} active phases have a dent (less than half of a silent slice's median).\n",
            joined.phases_with_dent, joined.phases);
  if (const std::size_t others = joined.dents.size() - joined.dents_in_step; others > 0)
    out.print("{} more dents while the signal was silent, in all {:.0f} s of the probe.\n", others,
              scale * static_cast<double>(joined.probe.size()));
}

Result<int> join_them(const Options& options, Output& out) {
  std::vector<std::string> notes;
  const auto probe = interference::read_program_slices(options.join[0], notes);
  if (!probe) return probe.error();
  const auto signal = interference::read_program_slices(options.join[1], notes);
  if (!signal) return signal.error();
  const auto storage = storage_of(options);
  if (!storage) return storage.error().in("--storage");
  interference::JoinOptions how;
  if (!options.metric.empty()) how.metric = interference::find_metric(options.metric);
  const auto joined = interference::join(*probe, *signal, *storage ? &**storage : nullptr, how);
  if (!joined) return joined.error();
  notes.insert(notes.end(), joined->notes.begin(), joined->notes.end());
  if (options.json) {
    Json document = json_document("interfere-join");
    document.update(to_json(*joined));
    out.json(document);
  } else {
    print(*joined, out);
  }
  for (const std::string& note : notes) warn("{}", note);
  return 0;
}

Result<int> run_slices(const Options& options, Output& out) {
  if (options.join.empty() == options.command.empty())
    return Error{Errc::usage, options.join.empty() ? "no program" : "--join takes no program"}.with_remedy(
        "give a program behind --, or --join PROBE SIGNAL with directories that were made so");
  return options.join.empty() ? record(options, out) : join_them(options, out);
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--out", options->out, "directory for the slices")->type_name("DIR");
  app.add_option("--slice", options->slice,
                 "their length; they begin at whole multiples of it on the wall clock")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_option("--dir", options->directories,
                 "also keep the slices of the storage this directory is on; several for several targets")
      ->type_name("DIR,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--under", options->under, "count only what is done to files below this directory")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--join", options->join, "line up two programs: directories of the probe and of the signal")
      ->type_name("PROBE SIGNAL")
      ->expected(2);
  app.add_option("--storage", options->storage,
                 "the storage's slices for --join; those of the probe if left out")
      ->type_name("DIR");
  add_choice(app, "--mpi", options->mpi, {"none", "openmpi", "mpich"},
             "count the calls of this MPI's files too; found by the program if left out");
  add_choice(app, "--metric", options->metric, {"written", "read", "closes"},
             "what the probe loses; bytes written where they are seen, else files closed");
  add_json_flag(app, options->json);
  app.add_option("PROGRAM", options->command, "the program and its arguments, behind --");
  return [options](Output& out) { return run_slices(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir interfere slices --out sim.slices --dir /scratch/me -- ./sim input",
            "counters of every second"},
    Example{"weir interfere slices --out sim.slices -- mpirun -n 4 ./sim input", "all ranks, MPI-IO too"},
    Example{"weir interfere slices --join sim.slices other.slices", "what sim loses while other is active"},
};

}  // namespace

const Command kInterfereSlices = {
    .name = "slices",
    .summary = "count a program's I/O in slices of the wall clock, and line up two programs",
    .examples = kExamples,
    .define = define,
    .notes =
        "Calls, bytes and time of reads, writes, opens, closes, flushes and names, of the C library's calls "
        "and "
        "of MPI-IO apart, in every process of the program but launchers; no single call is kept. A call "
        "counts "
        "in the slice in which it ends. What was counted survives a kill.\n"
        "Machines whose clocks agree have slices that line up. Pipes, sockets and terminals do not count. "
        "Not "
        "seen: mapped files, io_uring, and programs that are linked statically.",
};

}  // namespace weir::cli
