#include <array>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/interfere.hpp"

namespace weir::cli {
namespace {

struct Options {
  MeasureOptions measure;
  std::vector<std::string> patterns = {"open_write_close", "write_seek", "aggregate_write"};
  std::vector<std::string> chunks = {"1M"};
  std::uint32_t processes = 2;
  std::string layout = "per_worker";
};

Result<int> run_matrix(const Options& options, Output& out) {
  interference::Experiment experiment;
  experiment.name = "matrix";
  if (const auto good = apply(options.measure, experiment); !good) return good.error();
  for (const std::string& name : options.patterns)
    if (const auto load = load_named(name, experiment); !load) return load.error().in("--patterns");
  const auto chunks = sizes_in(options.chunks, "--chunk");
  if (!chunks) return chunks.error();
  workload::Job job;
  if (const auto set = workload::set_field(job, "layout", options.layout); !set)
    return set.error().in("--layout");
  experiment.pairs = interference::all_pairs(experiment.loads.size());
  for (const Bytes chunk : *chunks) {
    interference::Setting setting;
    setting.chunk = setting.signal_chunk = chunk;
    setting.processes = setting.signal_processes = options.processes;
    setting.layout = job.layout;
    experiment.settings.push_back(setting);
  }
  const auto measured = measure(options.measure, std::move(experiment));
  if (!measured) return measured.error();
  return tell(options.measure, *measured, "interfere-matrix", true, out);
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--patterns", options->patterns,
                 "open_write_close (owc), write_seek (ws), aggregate_write (aw), aggregate_write_flushed "
                 "(awf), read, "
                 "metadata; the first three if left out")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--chunk", options->chunks, "what one write moves; a matrix for each")
      ->type_name("SIZE,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  app.add_option("--processes", options->processes, "of each program")
      ->check(CLI::Range(1U, 4096U))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--layout", options->layout,
                 "per_worker: a file a process; shared: one file for all of a program")
      ->type_name("NAME")
      ->capture_default_str();
  add_measure_options(app, options->measure);
  return [options](Output& out) { return run_matrix(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir interfere matrix --dir /scratch/me --chunk 1M,16M --db storage.db",
            "three write patterns beside each other, kept for weir interfere advise"},
    Example{"weir interfere matrix --testbed loop --chunk 1M,16M",
            "on a throttled loop device of this machine"},
    Example{"weir interfere matrix --dir . --patterns read,metadata,aw",
            "whether reads and names suffer too"},
    Example{"weir interfere matrix --dir . --patterns owc,aw --command lammps='lmp -in $WEIR_CWD/in.lj'",
            "a program of your own among them"},
    Example{"weir interfere matrix --from storage.db --csv cells.csv", "what was measured, again"},
};

}  // namespace

const Command kInterfereMatrix = {
    .name = "matrix",
    .summary = "measure what every program loses beside every other",
    .examples = kExamples,
    .define = define,
    .notes =
        "Programs begin together. Throughput counts up to the moment when the first has done 90 % of its "
        "work; alone, by "
        "the same rule.\n"
        "open_write_close and write_seek flush after every chunk, aggregate_write does not: what is still "
        "cached at its "
        "end is told.\n"
        "Intervals hold with at least 95 %; best of five is how the source reports. Runs that others "
        "disturbed are kept "
        "and left out.",
};

}  // namespace weir::cli
