#include "proxy/replay.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/own_files.hpp"
#include "base/rank_launcher.hpp"
#include "base/unique_fd.hpp"
#include "cli/commands.hpp"
#include "cli/trace_options.hpp"
#include "launch/mpi_choice.hpp"
#include "launch/preload.hpp"
#include "proxy/data_libraries.hpp"

namespace weir::cli {
namespace {

struct Options {
  TraceOptions trace;
  proxy::ReplayOptions replay;
  std::string mpi;
  std::string launcher;
};

// The trace is opened above the numbers that the program's descriptors had: those must be free, and stay
// closed where the program found them closed.
Result<trace::TraceFile> open_above(const TraceOptions& options) {
  constexpr std::size_t kLow = 256;
  std::vector<UniqueFd> low;
  while (low.size() < kLow) {
    auto one = open_file("/dev/null", O_RDONLY | O_CLOEXEC);
    if (!one) break;
    low.push_back(std::move(*one));
  }
  return open_trace(options);
}

// The MPI whose launcher started this process as one of its ranks.
std::string mpi_of_own_rank() {
  if (std::getenv("OMPI_COMM_WORLD_RANK") != nullptr) return "openmpi";
  return std::getenv("PMI_RANK") != nullptr ? "mpich" : "";
}

// The MPI that the recorded program used, by its command line and its ranks' program as they are here now.
Result<std::string> mpi_of_trace(const trace::TraceFile& trace, const Options& options) {
  if (!options.mpi.empty()) return options.mpi;
  std::vector<std::vector<std::string>> hints(1);
  if (const Json& facts = trace.facts(); facts.contains("command") && facts["command"].is_array())
    for (const Json& word : facts["command"])
      if (word.is_string()) hints[0].push_back(word.get<std::string>());
  for (const trace::ProcessInfo& one : trace.processes())
    if (one.rank == 0) hints.push_back({one.program});
  for (const std::vector<std::string>& command : hints)
    if (const auto found = launch::mpi_of(command); found && *found != launch::Mpi::none)
      return std::string(launch::name(*found));
  return Error{Errc::lacking, "the MPI that its program used cannot be told"}
      .in(trace.path().string())
      .with_remedy("say it with --mpi openmpi or --mpi mpich");
}

// weir-replay-<mpi> with what this command was given.
Result<std::vector<std::string>> rank_program(const std::string& mpi, const Options& options) {
  const auto program = find_own_file(fmt::format("weir-replay-{}", mpi));
  if (!program)
    return program.error().with_remedy(fmt::format(
        "install lib{}-dev and build Weir again, or write a program with 'weir proxy' and compile it", mpi));
  const auto& given = options.replay;
  // By its whole name, which is not one of those that the replayed program uses.
  const auto trace = std::filesystem::absolute(options.trace.path);
  std::vector<std::string> command = {program->string(), trace.string(), "--root", given.root};
  if (given.original) command.emplace_back("--original");
  if (given.output) command.emplace_back("--output");
  if (given.think > 0) command.push_back(fmt::format("--think-time={}", given.think));
  return command;
}

Result<int> become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& one : command) words.push_back(const_cast<char*>(one.c_str()));
  words.push_back(nullptr);
  execv(words[0], words.data());
  return Error::from_errno(errno, "cannot be started").in(command.front());
}

Result<int> start_all_ranks(const trace::TraceFile& trace, const proxy::Plan& plan, const Options& options) {
  const auto mpi = mpi_of_trace(trace, options);
  if (!mpi) return mpi.error();
  const auto program = rank_program(*mpi, options);
  if (!program) return program.error();
  const auto ranks = static_cast<std::uint64_t>(trace.processes()[plan.processes.front().process].world_size);
  std::vector<std::string> command = start_ranks(
      options.launcher.empty() ? launch::launcher_of(*mpi) : split_words(options.launcher), ranks);
  command.insert(command.end(), program->begin(), program->end());
  return launch::run_program(command, {});
}

Result<int> run_replay(const Options& options, Output& /*out*/) {
  // A rank becomes the program for it before it has done anything that others might see.
  if (const std::string mpi = options.mpi.empty() ? mpi_of_own_rank() : options.mpi;
      !mpi.empty() && !mpi_of_own_rank().empty()) {
    const auto program = rank_program(mpi, options);
    if (!program) return program.error();
    return become(*program);
  }
  const auto trace = open_above(options.trace);
  if (!trace) return trace.error();
  warn_of_gaps(*trace);
  const auto plan = proxy::make_plan(*trace);
  if (!plan) return plan.error();
  for (const std::string& one : plan->left_out) fmt::print(stderr, "weir replay: left out: {}\n", one);
  if (plan->has_ranks) return start_all_ranks(*trace, *plan, options);
  const auto loaded = proxy::load_data_libraries(*plan, {{"hdf5", WEIR_HDF5}, {"netcdf", WEIR_NETCDF}});
  if (!loaded) return loaded.error();
  proxy::DataLibraries library;
  return proxy::replay(*plan, options.replay, library);
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_trace_argument(app, options->trace);
  app.add_option("--root", options->replay.root, "its files are made below this directory, which must be new")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_flag("--original", options->replay.original, "work on the original files, by their own names");
  app.add_flag("--output", options->replay.output, "show what is printed; else it goes to /dev/null");
  app.add_option("--think-time", options->replay.think,
                 "pause between calls as the program did, so many times as long")
      ->type_name("FACTOR");
  add_choice(app, "--mpi", options->mpi, {"openmpi", "mpich"},
             "the MPI that makes the calls; else the one that the program used");
  app.add_option("--launcher", options->launcher, "what starts MPI ranks: mpirun, srun, with its own flags")
      ->type_name("COMMAND");
  return [options](Output& out) { return run_replay(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir replay run.trace --root /scratch/r",
            "make the calls of the trace again, on files below /scratch/r"},
    Example{"weir replay run.trace --root /scratch/r2 --think-time 1", "with the pauses between them"},
    Example{"weir replay mpi.trace --launcher 'mpirun --oversubscribe'",
            "a trace of MPI ranks: as many are started as there were"},
    Example{"weir trace --out again -- mpirun -n 8 weir replay mpi.trace",
            "started as a rank itself, and traced; 'weir proxy mpi.trace --verify again' compares"},
};

}  // namespace

const Command kReplay = {
    .name = "replay",
    .summary = "make the calls of a trace again, here and now",
    .examples = kExamples,
    .define = define,
    .notes =
        "Does what the program of 'weir proxy' does, without a compiler. Results are compared with the "
        "recorded "
        "ones; exit 1 if any differs. HDF5, NetCDF and PnetCDF are loaded where the trace has their calls: "
        "those "
        "Weir was built with, or the ones in LD_PRELOAD.",
};

}  // namespace weir::cli
