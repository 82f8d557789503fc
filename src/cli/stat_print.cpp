#include <algorithm>
#include <ctime>
#include <span>

#include "base/json.hpp"
#include "base/table.hpp"
#include "base/units.hpp"
#include "cli/stat.hpp"
#include "cli/trace_options.hpp"
#include "trace/spelling.hpp"

namespace weir::cli {
namespace {

std::string bytes_text(std::uint64_t bytes) { return bytes == 0 ? "-" : format_bytes(Bytes(bytes)); }
std::string time_text(std::uint64_t nanoseconds) {
  return format_duration(Nanoseconds(static_cast<std::int64_t>(nanoseconds)));
}
std::string count_or_dash(std::uint64_t count) { return count == 0 ? "-" : format_count(count); }

std::string escaped(std::string_view text) {
  fmt::memory_buffer out;
  trace::append_escaped(out, text);
  return to_string(out);
}

// As one would type it: words with blanks between quotes.
std::string command_text(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    const bool plain = !word.empty() && word.find_first_of(" \t\n\"'\\$*?;&|<>()") == std::string::npos;
    line += plain ? escaped(word) : '"' + escaped(word) + '"';
  }
  return line;
}

std::string when_text(std::int64_t nanoseconds) {
  const auto seconds = static_cast<std::time_t>(nanoseconds / 1'000'000'000);
  std::tm parts{};
  char text[64];
  if (gmtime_r(&seconds, &parts) == nullptr || std::strftime(text, sizeof text, "%F %T UTC", &parts) == 0)
    return "-";
  return text;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", format_count(count), count == 1 ? one : many);
}

void print_head(const StatView& view, Output& out) {
  const trace::TraceFile& trace = view.trace;
  const trace::Summary& summary = view.summary;
  const Json& facts = trace.facts();
  const bool timed = trace.timing() != trace::TimingMode::off;
  std::vector<std::string> command = fact_texts(trace, "command");
  if (command.empty() && !trace.processes().empty()) command = trace.processes().front().arguments;

  const auto line = [&](std::string_view title, std::string_view text) {
    out.print("{:<12}{}\n", title, text);
  };
  line("trace", trace.path().string());
  if (!command.empty()) {
    const auto status = facts.find("status");
    const int code = status != facts.end() && status->is_number_integer() ? status->get<int>() : 0;
    line("command", command_text(command) + (code != 0 ? fmt::format(" (exit status {})", code) : ""));
  }
  if (const auto wall = facts.find("origin_wall_ns");
      wall != facts.end() && wall->is_number_integer() && wall->get<std::int64_t>() > 0)
    line("when", when_text(wall->get<std::int64_t>()) +
                     (timed ? fmt::format(", for {}", time_text(view.span_ns())) : ""));
  if (const std::string options = narrowing_of(trace); !options.empty())
    line("traced with", escaped(options));
  std::uint64_t threads = 0;
  for (const trace::ProcessTally& process : summary.processes) threads += process.threads;
  line("records", fmt::format("{} in {}, {}; {} failed", format_count(summary.total.calls),
                              counted(trace.processes().size(), "process", "processes"),
                              counted(threads, "thread", "threads"), format_count(summary.total.failed)));
  line("data", fmt::format("read {}, written {}{}", format_bytes(Bytes(summary.total.read_bytes)),
                           format_bytes(Bytes(summary.total.written_bytes)),
                           timed ? fmt::format(", {} in calls", time_text(summary.total.time_ns)) : ""));
  const auto per_record = [&](std::uint64_t bytes) {
    return trace.records() == 0 ? 0.0 : static_cast<double>(bytes) / static_cast<double>(trace.records());
  };
  const std::uint64_t timing = trace.timing_bytes();
  line("size", fmt::format("{}: {:.3g} bytes a record, calls {:.3g}, timing {:.3g} ({})",
                           format_bytes(Bytes(trace.file_bytes())), per_record(trace.file_bytes()),
                           per_record(trace.file_bytes() - std::min(timing, trace.file_bytes())),
                           per_record(timing), name(trace.timing())));
  line("made of", fmt::format("{} in {}, {} of {} with {}",
                              counted(trace.tables().signatures.size(), "signature", "signatures"),
                              counted(trace.classes().size(), "class", "classes"),
                              counted(trace.pattern_count(), "grammar", "grammars"),
                              counted(trace.grammars().distinct_count(), "shape", "shapes"),
                              counted(trace.grammars().pool_rules(), "rule", "rules")));
  if (const std::uint64_t ranks = view.ranks(); ranks > 0)
    line("ranks", fmt::format("{}: {} in the trace, {:.3g} bytes each", format_count(ranks),
                              format_bytes(Bytes(view.process_bytes())),
                              static_cast<double>(view.process_bytes()) / static_cast<double>(ranks)));
  for (const std::string& warning : view.warnings()) line("warning", escaped(warning));
}

void print_functions(const StatView& view, Output& out) {
  const bool timed = view.trace.timing() != trace::TimingMode::off;
  std::vector<Table::Column> columns = {{"function"},
                                        {"layer"},
                                        {"calls", Table::right},
                                        {"distinct", Table::right},
                                        {"failed", Table::right},
                                        {"read", Table::right},
                                        {"written", Table::right}};
  if (timed)
    for (const char* title : {"time", "mean", "longest"}) columns.push_back({title, Table::right});
  columns.push_back({"errors", Table::shrinks});
  Table table(columns);
  const auto add = [&](const trace::FunctionTally& function, const std::string& errors) {
    const trace::Tally& tally = function.tally;
    std::vector<std::string> cells = {function.name,
                                      function.layer,
                                      format_count(tally.calls),
                                      format_count(function.signatures),
                                      count_or_dash(tally.failed),
                                      bytes_text(tally.read_bytes),
                                      bytes_text(tally.written_bytes)};
    if (timed) {
      cells.push_back(time_text(tally.time_ns));
      cells.push_back(time_text(tally.calls == 0 ? 0 : tally.time_ns / tally.calls));
      cells.push_back(time_text(tally.longest_ns));
    }
    cells.push_back(errors);
    table.row(std::move(cells));
  };
  for (const trace::FunctionTally& function : view.summary.functions) {
    fmt::memory_buffer errors;
    for (const auto& [number, count] : function.errors) {
      if (errors.size() > 0) errors.push_back(' ');
      trace::append_error(errors, function.layer, number);
      if (count > 1) fmt::format_to(fmt::appender(errors), "×{}", count);
    }
    add(function, to_string(errors));
  }
  if (!table.empty()) {
    out.write("\n");
    out.table(table);
  }
}

void print_layers(const StatView& view, Output& out) {
  const bool timed = view.trace.timing() != trace::TimingMode::off;
  if (view.summary.layers.size() < 2) return;
  std::vector<Table::Column> columns = {{"layer"},
                                        {"calls", Table::right},
                                        {"failed", Table::right},
                                        {"read", Table::right},
                                        {"written", Table::right}};
  if (timed)
    for (const char* title : {"time", "of it in layers below"}) columns.push_back({title, Table::right});
  Table table(columns);
  for (const auto& [name, layer] : view.summary.layers) {
    std::vector<std::string> cells = {name, format_count(layer.tally.calls),
                                      count_or_dash(layer.tally.failed), bytes_text(layer.tally.read_bytes),
                                      bytes_text(layer.tally.written_bytes)};
    if (timed) {
      cells.push_back(time_text(layer.tally.time_ns));
      cells.push_back(layer.inside_ns == 0 ? "-" : time_text(layer.inside_ns));
    }
    table.row(std::move(cells));
  }
  out.write("\n");
  out.table(table);
}

void print_pairs(const StatView& view, Output& out) {
  const bool timed = view.trace.timing() != trace::TimingMode::off;
  if (view.summary.pairs.empty()) return;
  std::vector<Table::Column> columns = {
      {"inside"}, {"called"}, {"calls", Table::right}, {"read and written", Table::right}};
  if (timed) columns.push_back({"time", Table::right});
  Table table(columns);
  const std::size_t count = std::min(view.top, view.summary.pairs.size());
  for (const trace::PairTally& pair : std::span(view.summary.pairs).first(count)) {
    std::vector<std::string> cells = {pair.caller, pair.callee, format_count(pair.calls),
                                      bytes_text(pair.bytes)};
    if (timed) cells.push_back(time_text(pair.time_ns));
    table.row(std::move(cells));
  }
  out.write("\n");
  out.table(table);
}

void print_files(const StatView& view, std::string_view title,
                 const std::vector<const trace::FileTally*>& files, Output& out) {
  const bool timed = view.trace.timing() != trace::TimingMode::off;
  if (files.empty()) return;
  std::vector<Table::Column> columns = {{std::string(title), Table::shrinks},
                                        {"calls", Table::right},
                                        {"failed", Table::right},
                                        {"read", Table::right},
                                        {"written", Table::right}};
  if (timed) columns.push_back({"time", Table::right});
  Table table(columns);
  for (const trace::FileTally* file : files) {
    std::vector<std::string> cells = {escaped(file->name), format_count(file->tally.calls),
                                      count_or_dash(file->tally.failed), bytes_text(file->tally.read_bytes),
                                      bytes_text(file->tally.written_bytes)};
    if (timed) cells.push_back(time_text(file->tally.time_ns));
    table.row(std::move(cells));
  }
  out.write("\n");
  out.table(table);
}

// Children under their parents, in the order they began; each with how deep it stands.
std::vector<std::pair<std::size_t, std::size_t>> tree_order(const trace::TraceFile& trace) {
  const auto processes = trace.processes();
  std::vector<std::vector<std::size_t>> children(processes.size());
  std::vector<std::pair<std::size_t, std::size_t>> order;
  std::vector<std::pair<std::size_t, std::size_t>> waiting;
  for (std::size_t i = processes.size(); i-- > 0;) {
    // A parent comes before its children; a damaged file may say otherwise.
    const bool has_parent = processes[i].parent >= 0 && static_cast<std::size_t>(processes[i].parent) < i;
    if (has_parent)
      children[static_cast<std::size_t>(processes[i].parent)].push_back(i);
    else
      waiting.emplace_back(i, 0);
  }
  while (!waiting.empty()) {
    const auto [process, depth] = waiting.back();
    waiting.pop_back();
    order.emplace_back(process, depth);
    for (const std::size_t child : children[process]) waiting.emplace_back(child, depth + 1);
  }
  return order;
}

void print_processes(const StatView& view, Output& out) {
  const trace::TraceFile& trace = view.trace;
  if (trace.processes().empty()) return;
  const bool timed = trace.timing() != trace::TimingMode::off;
  const bool ranked = view.ranks() > 0;
  std::vector<Table::Column> columns = {{"process", Table::right}};
  if (ranked) columns.push_back({"rank", Table::right});
  columns.insert(columns.end(), {{"pid", Table::right},
                                 {"program", Table::shrinks},
                                 {"threads", Table::right},
                                 {"calls", Table::right},
                                 {"read", Table::right},
                                 {"written", Table::right}});
  if (timed) {
    columns.push_back({"began", Table::right});
    columns.push_back({"time", Table::right});
  }
  columns.push_back({"lost", Table::right});
  Table table(columns);
  std::size_t shown = 0;
  for (const auto& [i, depth] : tree_order(trace)) {
    if (shown++ == view.top) break;
    const trace::ProcessInfo& process = trace.processes()[i];
    const trace::ProcessTally& tally = view.summary.processes[i];
    std::uint64_t lost = 0;
    for (const trace::StreamInfo& stream : process.streams) lost += stream.lost;
    const std::string& what = process.arguments.empty() ? process.program : command_text(process.arguments);
    std::vector<std::string> cells = {fmt::format("{}", i)};
    if (ranked) cells.push_back(process.rank < 0 ? "-" : fmt::format("{}", process.rank));
    cells.insert(cells.end(), {fmt::format("{}", process.number),
                               std::string(2 * std::min<std::size_t>(depth, 20), ' ') + what,
                               format_count(tally.threads), format_count(tally.tally.calls),
                               bytes_text(tally.tally.read_bytes), bytes_text(tally.tally.written_bytes)});
    if (timed) {
      cells.push_back(time_text(static_cast<std::uint64_t>(std::max<std::int64_t>(0, process.start_ns))));
      cells.push_back(time_text(tally.tally.time_ns));
    }
    cells.push_back(count_or_dash(lost));
    table.row(std::move(cells));
  }
  out.write("\n");
  out.table(table);
  if (trace.processes().size() > view.top)
    out.print("... and {} more; --top lists them\n", format_count(trace.processes().size() - view.top));
}

}  // namespace

void print_stat(const StatView& view, Output& out) {
  print_head(view, out);
  print_functions(view, out);
  print_layers(view, out);
  print_pairs(view, out);
  const auto by_bytes = view.files_by_bytes();
  print_files(view, "files by bytes", by_bytes, out);
  const auto by_time = view.files_by_time();
  if (by_time != by_bytes)
    print_files(view, view.trace.timing() == trace::TimingMode::off ? "files by calls" : "files by time",
                by_time, out);
  print_processes(view, out);
}

}  // namespace weir::cli
