#include <array>
#include <filesystem>
#include <fstream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "calls/call.hpp"
#include "cli/commands.hpp"
#include "cli/timing_options.hpp"
#include "launch/mpi_choice.hpp"
#include "launch/preload.hpp"
#include "trace/format.hpp"
#include "trace/live.hpp"
#include "trace/merge.hpp"
#include "trace/part.hpp"
#include "trace/run_clock.hpp"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string out;
  TimingChoice timing;
  std::vector<std::string> layers;
  std::string mpi;
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::string memory;
  bool buffers = false;
  bool keep_live = false;
  bool merge_at_end = false;
  std::vector<std::string> command;
};

// "app.trace", or "app.trace.2" where that is taken.
fs::path free_name(const std::string& program) {
  const std::string stem = fs::path(program).filename().string() + ".trace";
  fs::path name = stem;
  for (int i = 2; fs::exists(name); ++i) name = fmt::format("{}.{}", stem, i);
  return name;
}

// Everything that can go wrong with the output does so before the program starts.
Result<fs::path> make_directory(const Options& options) {
  const fs::path wanted = options.out.empty() ? free_name(options.command.front()) : fs::path(options.out);
  std::error_code failed;
  if (fs::exists(wanted, failed)) {
    if (!fs::is_directory(wanted, failed))
      return Error{Errc::usage, "is a file, not a directory"}.in(wanted.string());
    if (!fs::is_empty(wanted, failed))
      return Error{Errc::usage, "exists already and is not empty"}
          .in(wanted.string())
          .with_remedy("give another --out, or remove it");
  }
  if (const auto made = trace::prepare_run(wanted); !made) return made.error();
  const fs::path absolute = fs::canonical(wanted, failed);
  if (failed) return Error::from_errno(failed.value(), "cannot be found").in(wanted.string());
  if (::access((absolute / trace::live::kFolder).c_str(), W_OK | X_OK) != 0)
    return Error::from_errno(errno, "cannot be written").in(wanted.string());
  return absolute;
}

Result<std::string> prefixes(const std::vector<std::string>& paths, const char* flag) {
  std::string list;
  for (const std::string& path : paths) {
    if (path.find(':') != std::string::npos)
      return Error{Errc::usage, fmt::format("{} '{}': a ':' cannot be in a path here", flag, path)};
    if (!list.empty()) list += ':';
    list += fs::absolute(path).lexically_normal().string();
  }
  constexpr std::size_t kLongest = 4095;  // what the recorder has room for
  if (list.size() > kLongest)
    return Error{Errc::usage, fmt::format("{}: more than {} letters of paths", flag, kLongest)};
  return list;
}

Result<launch::Variables> variables_for(const Options& options, const fs::path& directory,
                                        const trace::MergeOptions& merging) {
  launch::Variables variables = {
      {"WEIR_TRACE_DIR", directory.string()},
      {"WEIR_TRACE_TIMING", options.timing.mode == "off" ? "off" : "on"},
      {"WEIR_TRACE_NOT_IN", fmt::format("{}", fmt::join(launch::launchers(), ","))}};
  if (!options.mpi.empty()) variables.emplace_back("WEIR_TRACE_MPI", options.mpi);
  if (!options.merge_at_end) variables.emplace_back("WEIR_TRACE_MERGE", trace::timing_text(merging));
  if (!options.memory.empty()) {
    const auto bytes = parse_bytes(options.memory);
    if (!bytes) return bytes.error().in("--memory");
    if (bytes->count < (1 << 20)) return Error{Errc::usage, "--memory is less than 1M"};
    variables.emplace_back("WEIR_TRACE_MEMORY", std::to_string(bytes->count));
  }
  if (!options.layers.empty())
    variables.emplace_back("WEIR_TRACE_LAYERS", fmt::format("{}", fmt::join(options.layers, ",")));
  const auto include = prefixes(options.include, "--include");
  if (!include) return include.error();
  if (!include->empty()) variables.emplace_back("WEIR_TRACE_INCLUDE", *include);
  const auto exclude = prefixes(options.exclude, "--exclude");
  if (!exclude) return exclude.error();
  if (!exclude->empty()) variables.emplace_back("WEIR_TRACE_EXCLUDE", *exclude);
  return variables;
}

// The options by which calls are left out, as they were given.
std::vector<std::string> narrowing(const Options& options) {
  std::vector<std::string> given;
  for (const std::string& path : options.include) given.push_back("--include " + path);
  for (const std::string& path : options.exclude) given.push_back("--exclude " + path);
  if (!options.layers.empty()) given.push_back(fmt::format("--layers {}", fmt::join(options.layers, ",")));
  if (options.mpi == "none") given.emplace_back("--mpi none");
  return given;
}

// The recorder that knows the program's MPI, or the one without.
Result<fs::path> find_library(const Options& options) {
  launch::Mpi mpi = launch::Mpi::none;
  if (options.mpi.empty()) {
    const auto found = launch::mpi_of(options.command);
    if (!found) return found.error();
    mpi = *found;
  } else {
    for (const launch::Mpi one : {launch::Mpi::openmpi, launch::Mpi::mpich})
      if (options.mpi == launch::name(one)) mpi = one;
  }
  const bool none = mpi == launch::Mpi::none;
  auto library =
      launch::find_preload_library(fmt::format("weir-capture-{}", none ? "posix" : launch::name(mpi)));
  if (library || none) return library;
  return Error{Errc::lacking,
               fmt::format("this Weir was built without {}, which the program uses", launch::name(mpi))}
      .with_remedy(
          fmt::format("install lib{}-dev and build Weir again, or trace only its files with --mpi none",
                      launch::name(mpi)));
}

Result<int> run_trace(const Options& options, Output& /*out*/) {
  trace::MergeOptions merging;
  if (const auto good = apply(options.timing, merging); !good) return good.error();
  for (const std::string& layer : options.layers)
    if (!find_layer(layer)) {
      std::vector<std::string_view> known;
      for (std::size_t i = 0; i < kLayerCount; ++i) known.push_back(name(static_cast<Layer>(i)));
      return Error{Errc::lacking,
                   fmt::format("--layers {}: this build traces {}", layer, fmt::join(known, ", "))};
    }
  if (const auto good = launch::check_preloadable(options.command.front()); !good) return good.error();
  const auto library = find_library(options);
  if (!library) return library.error();
  std::vector<fs::path> libraries = {*library};
  if (options.buffers) {
    auto knows_memory = launch::find_preload_library("weir-buffers");
    if (!knows_memory) return knows_memory.error();
    libraries.push_back(*std::move(knows_memory));
  }
  const auto directory = make_directory(options);
  if (!directory) return directory.error();
  auto variables = variables_for(options, *directory, merging);
  if (!variables) return variables.error();

  merging.readings.push_back(Calibration::Reading::take());
  const auto status = launch::run_program(options.command, launch::with_preload(*variables, libraries));
  if (!status) {
    std::error_code ignored;
    fs::remove(*directory / trace::live::kFolder / trace::live::kLossFile, ignored);
    fs::remove(*directory / trace::live::kFolder, ignored);
    fs::remove(*directory, ignored);
    return status.error();
  }
  merging.readings.push_back(trace::take_reading_far_from(merging.readings.front()));
  merging.command = options.command;
  merging.status = *status;
  merging.narrowed = narrowing(options);
  merging.keep_live = options.keep_live;
  if (const auto kept = trace::write_run_facts(*directory, merging); !kept) warn("{}", kept.error().text());
  auto report = trace::merge_run(*directory, merging);
  if (!report) {
    if (const std::uint64_t lost = trace::lost_calls(*directory); lost > 0)
      warn("{} calls were lost: there was no room to record them; free some space and trace again",
           format_count(lost));
    // The program's own status counts first; what was recorded is kept for another try.
    const Error failed =
        report.error().with_remedy(fmt::format("try again with 'weir merge {}'", directory->string()));
    if (*status == 0) return failed;
    warn("{}", failed.text());
    return *status;
  }
  if (!options.out.empty())
    report->file = fs::path(options.out) / trace::kFileName;
  else
    report->file = fs::relative(report->file);
  tell("trace", *report);
  if (report->records == 0)
    warn("nothing was recorded: {} made no call that Weir intercepts, or started no program it could follow",
         options.command.front());
  return *status;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--out", options->out, "where the trace goes: a new or empty directory (PROGRAM.trace)")
      ->type_name("DIR");
  add_timing_options(app, options->timing);
  app.add_option("--layers", options->layers,
                 "which calls are traced: posix,stdio,uring,mpi,mpiio,hdf5,netcdf,pnetcdf (all)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LAYER,...");
  app.add_option("--include", options->include, "only calls on paths under DIR; may be given again")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--exclude", options->exclude,
                 "no calls on paths under DIR; the longer of two prefixes wins")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--memory", options->memory, "memory for the recorder's tables, per process (16M)")
      ->type_name("SIZE");
  app.add_option("--mpi", options->mpi, "the program's MPI, where it cannot be seen from the command")
      ->check(CLI::IsMember({"openmpi", "mpich", "none"}))
      ->type_name("openmpi|mpich|none");
  app.add_flag("--buffers", options->buffers,
               "also record where data lies in memory: heap#2+64 is 64 bytes into the third allocation used");
  app.add_flag("--keep-live", options->keep_live, "keep what the processes wrote beside the merged trace");
  app.add_flag("--merge-at-end", options->merge_at_end,
               "merge all ranks when the program has ended, not inside MPI_Finalize; the same bytes");
  app.add_option("COMMAND", options->command, "the program and its arguments, after --")->required();
  return [options](Output& out) { return run_trace(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir trace -- ./app input.nml",
            "every file call of the program and all it starts, into app.trace"},
    Example{"weir trace --out run1 --timing quant --error 0.05 -- make -j2",
            "times within 5 % in a fraction of a byte per call"},
    Example{"weir trace --include /scratch -- python3 train.py", "only what happens under /scratch"},
    Example{"weir stat app.trace", "what the program did: calls, bytes, files, processes"},
};

}  // namespace

const Command kTrace = {
    .name = "trace",
    .summary = "record every file call a program makes",
    .examples = kExamples,
    .define = define,
    .notes =
        "The exit status is the program's own. What is recorded survives a kill of the program at any "
        "moment; when "
        "weir itself is killed, 'weir merge DIR' makes the trace.\n"
        "Timing: off; lossless, every nanosecond; mean, per signature; and within --error: cfg, hist, quant, "
        "zfp.\n"
        "Seen are calls into the C library, from any thread and child process. Not seen: raw system calls, "
        "statically "
        "linked programs, and what libc does inside itself.",
};

}  // namespace weir::cli
