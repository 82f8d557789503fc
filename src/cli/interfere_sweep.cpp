#include <array>
#include <charconv>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/interfere.hpp"

namespace weir::cli {
namespace {

struct Options {
  MeasureOptions measure;
  std::vector<std::string> probes = {"open_write_close", "write_seek"}, signals = {"aggregate_write"};
  std::vector<std::string> chunks = {"1M"}, signal_chunks, processes = {"2"}, duties = {"100%"},
                           layouts = {"per_worker"};
};

struct Counts {
  std::uint32_t probe = 0, signal = 0;
};

// "2" for both sides, or "4:1".
Result<Counts> counts_in(const std::string& text) {
  const auto count = [](std::string_view part) {
    std::uint32_t number = 0;
    const auto [end, fault] = std::from_chars(part.data(), part.data() + part.size(), number);
    return fault == std::errc() && end == part.data() + part.size() && number <= 4096 ? number : 0;
  };
  const std::size_t colon = text.find(':');
  const Counts counts{
      count(std::string_view(text).substr(0, colon)),
      count(colon == std::string::npos ? std::string_view(text) : std::string_view(text).substr(colon + 1))};
  if (counts.probe == 0 || counts.signal == 0)
    return Error{Errc::usage, fmt::format("'{}' is no number of processes", text)}
        .in("--processes")
        .with_remedy("write 2 for both programs, or 4:1 for probe and signal");
  return counts;
}

Result<std::vector<interference::Setting>> settings_of(const Options& options) {
  const auto chunks = sizes_in(options.chunks, "--chunk");
  if (!chunks) return chunks.error();
  const auto signal_chunks = sizes_in(options.signal_chunks, "--signal-chunk");
  if (!signal_chunks) return signal_chunks.error();
  std::vector<interference::Setting> settings(1);
  const auto vary = [&]<class T>(const std::vector<T>& values, auto set) {
    std::vector<interference::Setting> more;
    for (const interference::Setting& setting : settings)
      for (const T& value : values) set(more.emplace_back(setting), value);
    settings = std::move(more);
  };
  vary(*chunks,
       [](interference::Setting& setting, Bytes chunk) { setting.chunk = setting.signal_chunk = chunk; });
  if (!signal_chunks->empty())
    vary(*signal_chunks, [](interference::Setting& setting, Bytes chunk) { setting.signal_chunk = chunk; });
  std::vector<Counts> counts;
  for (const std::string& text : options.processes) {
    const auto each = counts_in(text);
    if (!each) return each.error();
    counts.push_back(*each);
  }
  vary(counts, [](interference::Setting& setting, Counts each) {
    setting.processes = each.probe;
    setting.signal_processes = each.signal;
  });
  std::vector<double> duties;
  for (const std::string& text : options.duties) {
    const auto duty = interference::parse_duty(text);
    if (!duty) return duty.error().in("--duty");
    duties.push_back(*duty);
  }
  vary(duties, [](interference::Setting& setting, double duty) { setting.signal_duty = duty; });
  std::vector<workload::Layout> layouts;
  for (const std::string& text : options.layouts) {
    workload::Job job;
    if (const auto set = workload::set_field(job, "layout", text); !set) return set.error().in("--layout");
    layouts.push_back(job.layout);
  }
  vary(layouts, [](interference::Setting& setting, workload::Layout layout) { setting.layout = layout; });
  return settings;
}

Result<int> run_sweep(const Options& options, Output& out) {
  interference::Experiment experiment;
  experiment.name = "sweep";
  if (const auto good = apply(options.measure, experiment); !good) return good.error();
  std::vector<std::size_t> signals;
  for (const std::string& name : options.signals) {
    const auto load = load_named(name, experiment);
    if (!load) return load.error().in("--signal");
    signals.push_back(*load);
  }
  for (const std::string& name : options.probes) {
    const auto load = load_named(name, experiment);
    if (!load) return load.error().in("--probe");
    for (const std::size_t signal : signals) experiment.pairs.emplace_back(*load, signal);
  }
  auto settings = settings_of(options);
  if (!settings) return settings.error();
  experiment.settings = *std::move(settings);
  const auto measured = measure(options.measure, std::move(experiment));
  if (!measured) return measured.error();
  return tell(options.measure, *measured, "interfere-sweep", false, out);
}

void add_list(CLI::App& app, const std::string& flag, std::vector<std::string>& values,
              const std::string& type, const std::string& help) {
  app.add_option(flag, values, help)
      ->type_name(type)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_list(app, "--probe", options->probes, "NAME,...", "patterns or commands whose loss is asked for");
  add_list(app, "--signal", options->signals, "NAME,...", "those they run beside");
  add_list(app, "--chunk", options->chunks, "SIZE,...", "what one write moves");
  add_list(app, "--signal-chunk", options->signal_chunks, "SIZE,...",
           "of the signal; the probe's if left out");
  add_list(app, "--processes", options->processes, "N[:M],...", "of both, or of probe and signal");
  add_list(app, "--duty", options->duties, "P%,...", "share of every period in which the signal is active");
  add_list(app, "--layout", options->layouts, "NAME,...",
           "per_worker: a file a process; shared: one file for all");
  add_measure_options(app, options->measure);
  return [options](Output& out) { return run_sweep(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir interfere sweep --probe owc,ws --signal aw --chunk 64k,256k,1M,4M,16M --dir /scratch/me",
            "where the direction of interference turns"},
    Example{"weir interfere sweep --probe owc --signal aw --processes 4:1,4:2,4:4 --dir /scratch/me",
            "whether a few writers can hold up many"},
    Example{"weir interfere sweep --probe owc --signal aw --duty 100%,50%,25% --period 4s --dir /scratch/me",
            "bursts beside a steady signal"},
    Example{"weir interfere sweep --probe ws --signal aw --layout per_worker,shared --chunk 16M --dir "
            "/scratch/me",
            "files of their own, and one for all"},
    Example{"weir interfere sweep --command sim='./sim $WEIR_CWD/input' --probe sim --signal owc,ws,aw --dir "
            "/scratch/me",
            "what each pattern does to a program of yours"},
};

}  // namespace

const Command kInterfereSweep = {
    .name = "sweep",
    .summary = "measure how a loss goes with chunk size, processes, duty or layout",
    .examples = kExamples,
    .define = define,
    .notes =
        "Everything listed is combined with everything else. Of two patterns or two commands both directions "
        "are measured, of a pattern and a command that of the probe. Signals with a duty below 100 %, and "
        "patterns beside a command, go on until the probe has ended; only the probe is measured then.\n"
        "Periods begin at whole multiples of theirs on the wall clock; the signal sleeps in the rest of "
        "them.",
};

}  // namespace weir::cli
