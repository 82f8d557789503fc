#include "study/study.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/units.hpp"
#include "burst/client/policy.hpp"
#include "cli/run_job.hpp"
#include "cli/study.hpp"
#include "launch/preload.hpp"
#include "launch/process.hpp"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  study::Options study;
  std::string out = "study", budget, buffer;
  bool json = false, resume = false;
};

Result<void> complete(Options& options) {
  study::Options& study = options.study;
  study.out = options.out;
  if (!options.budget.empty()) {
    const auto budget = parse_duration(options.budget);
    if (!budget) return budget.error().in("--budget");
    if (budget->count <= 0) return Error{Errc::usage, "is not above zero"}.in("--budget");
    study.budget_s = 1e-9 * static_cast<double>(budget->count);
  }
  study.buffer = options.buffer.empty() ? usual_buffer() : fs::path(options.buffer);
  if (study.buffer.empty())
    return Error{Errc::usage, "there is no /dev/shm to buffer in"}.with_remedy("give --buffer DIR");
  std::error_code failed;
  study.buffer = fs::canonical(study.buffer, failed);
  if (failed) return Error::from_errno(failed.value(), "cannot be used").in("--buffer");
  for (const std::string& model : study.compare)
    if (const auto known = burst::find_policy(model); !known) return known.error().in("--compare");
  if (!study.matrix.empty() && !fs::exists(study.matrix.substr(0, study.matrix.find('#')), failed))
    return Error{Errc::not_found, "no such file"}
        .in(study.matrix)
        .with_remedy("make it with 'weir interfere matrix'");
  study.weir = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return Error::from_errno(failed.value(), "cannot find this program");
  for (const char* library : {"weir-burst", "weir-slices-posix"})
    if (const auto found = launch::find_preload_library(library); !found) return found.error();
  if (!launch::find_program(study.command.front()))
    return Error{Errc::not_found, "no such program"}.in(study.command.front());
  return launch::check_preloadable(study.command.front());
}

Result<int> run(Options& options, Output& out) {
  if (const auto good = complete(options); !good) return good.error();
  if (options.resume && !fs::exists(fs::path(options.out) / "state.json"))
    return Error{Errc::not_found, "there is no study to go on with"}
        .in(options.out)
        .with_remedy("leave out --resume");
  options.study.made = made_json(out.command(), true);
  const auto outcome = study::run_study(options.study, [](const std::string& line) {
    fmt::print(stderr, "{}\n", line);
    std::fflush(stderr);
  });
  if (!outcome) return outcome.error();
  if (outcome->status != 0) return outcome->status;
  for (const Json& note : outcome->document.at("notes")) warn("{}", note.get<std::string>());
  if (options.json) {
    out.json(outcome->document);
  } else {
    for (const Json& line : outcome->document.at("summary")) out.print("{}\n", line.get<std::string>());
  }
  return outcome->same ? 0 : 1;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--dir", options->study.directory,
                 "the program's directory; kept before the first run (found from the trace if left out)")
      ->type_name("DIR");
  app.add_option("--out", options->out, "where everything is kept: documents, samples, the page (study)")
      ->type_name("DIR");
  app.add_option("--runs", options->study.runs,
                 "runs in its own directory, and as many on the burst buffer (10)")
      ->check(CLI::Range(2, 100000))
      ->type_name("N");
  app.add_option("--budget", options->budget, "at most so long, such as 10m; fewer runs if need be")
      ->type_name("TIME");
  app.add_option("--compare", options->study.compare,
                 fmt::format("also run it under these models: {}", burst::list_of_policies()))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("MODEL,...");
  app.add_option("--matrix", options->study.matrix,
                 "what 'weir interfere matrix' kept of this storage: what the program loses beside others")
      ->type_name("DB");
  app.add_option("--buffer", options->buffer, "where the burst buffer is (/dev/shm)")->type_name("DIR");
  app.add_flag("--resume", options->resume, "go on with the study in --out, which there must be");
  add_json_flag(app, options->json);
  app.add_option("COMMAND", options->study.command, "the program and its arguments, after --")->required();
  return [options](Output& out) { return run(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir study -- mpirun -n 4 ./app", "the whole story of a program, and a page"},
    Example{"weir study --dir out --runs 30 --budget 10m --out app.study -- mpirun -n 4 ./app",
            "a directory that is kept beforehand, more runs, ten minutes at most"},
    Example{"weir study --compare posix,commit -- mpirun -n 4 ./app", "also under stronger consistency"},
};

}  // namespace

const Command kStudy = {
    .name = "study",
    .summary =
        "the whole story for one program: trace, consistency, gain on a burst buffer, runs needed, a page",
    .examples = kExamples,
    .define = define,
    .notes =
        "The same command again goes on where it was interrupted, or adds runs. Before each run the "
        "directory is "
        "put back as it was: what the program made there is removed. Nothing else should write in it "
        "meanwhile; "
        "the program gets no input.\n"
        "I/O time is that of the process which spent most in calls on files of the directory. The exit "
        "status is the "
        "program's own if it fails; 1 when results on the burst buffer are not the same.",
};

}  // namespace weir::cli
