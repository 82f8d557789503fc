#include "cli/timing_options.hpp"

#include <charconv>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/log.hpp"
#include "base/units.hpp"
#include "calls/call.hpp"
#include "cli/command.hpp"

namespace weir::cli {
namespace {

constexpr std::size_t kToldWarnings = 5;

Result<double> parse_error(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || value < trace::kSmallestTimingError ||
      value > trace::kLargestTimingError)
    return Error{Errc::usage, fmt::format("--error '{}' is not a number from {} to {}", text,
                                          trace::kSmallestTimingError, trace::kLargestTimingError)};
  return value;
}

}  // namespace

void add_timing_options(CLI::App& app, TimingChoice& choice) {
  std::vector<std::string> words;
  for (const trace::TimingMode mode : trace::timing_modes()) words.emplace_back(name(mode));
  add_choice(app, "--timing", choice.mode, words, "how start and duration of each call are kept (lossless)");
  app.add_option(
         "--error", choice.errors,
         "bound on the relative error of times for cfg, hist, quant and zfp (0.1); NAME=E for one function")
      ->type_name("E|NAME=E")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--in-order", choice.unclustered,
               "quant and zfp keep durations in the order of calls, not by signature");
}

Result<void> apply(const TimingChoice& choice, trace::MergeOptions& options) {
  options.timing.mode = *trace::find_timing_mode(choice.mode);
  options.timing.clustered = !choice.unclustered;
  for (const std::string& text : choice.errors) {
    const std::size_t equals = text.find('=');
    const auto value =
        parse_error(equals == std::string::npos ? text : std::string_view(text).substr(equals + 1));
    if (!value) return value.error();
    if (equals == std::string::npos) {
      options.timing.error = *value;
      continue;
    }
    const std::string function = text.substr(0, equals);
    const auto call = find_call(function);
    if (!call)
      return Error{Errc::usage, fmt::format("--error {}: no function '{}' is traced", text, function)};
    options.error_of_function[std::string(name(*call))] = *value;
  }
  return check(options.timing);
}

void tell(std::string_view command, const trace::MergeReport& report) {
  const std::uint64_t calls = report.bytes - report.timing_bytes;
  const std::string merged =
      report.merged_before > 0 ? fmt::format(" ({} merged in MPI_Finalize)", report.merged_before) : "";
  fmt::print(stderr, "weir {}: {}: {} calls of {} process{}{}, {} ({} for the calls, {} for their times)\n",
             command, report.file.parent_path().string(), format_count(report.records), report.processes,
             report.processes == 1 ? "" : "es", merged, format_bytes(Bytes(report.bytes)),
             format_bytes(Bytes(calls)), format_bytes(Bytes(report.timing_bytes)));
  if (report.lost > 0)
    warn("{} calls were lost: there was no room to record them; free some space and trace again",
         format_count(report.lost));
  for (std::size_t i = 0; i < report.warnings.size() && i < kToldWarnings; ++i)
    warn("{}", report.warnings[i]);
  if (report.warnings.size() > kToldWarnings)
    warn("... and {} more like these", report.warnings.size() - kToldWarnings);
  if (report.damaged > 0)
    warn("what could not be read is kept in {}/live", report.file.parent_path().string());
}

}  // namespace weir::cli
