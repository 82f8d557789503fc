#include "semantics/patterns.hpp"

#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/table.hpp"
#include "base/units.hpp"
#include "cli/commands.hpp"
#include "cli/trace_options.hpp"

namespace weir::cli {
namespace {

using semantics::FilePattern;
using semantics::Sequence;

struct Options {
  TraceOptions input;
  std::size_t top = 10;
  bool json = false;
};

std::string share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? "-"
                  : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

std::string stride_text(const semantics::Stride& stride) {
  std::string text = fmt::format("{} bytes at {} + {} i", stride.length, stride.first, stride.stride);
  if (stride.cyclic()) text += fmt::format(" + {} k, k < {}", stride.cycle, stride.phases);
  return text;
}

void print_groups(const semantics::Patterns& patterns, std::size_t top, Output& out) {
  Table table({{"files", Table::shrinks},
               {"", Table::right},
               {"access"},
               {"processes", Table::right},
               {"X-Y"},
               {"shape"},
               {"bytes", Table::right}});
  for (std::size_t i = 0; i < patterns.groups.size() && i < top; ++i) {
    const semantics::GroupPattern& group = patterns.groups[i];
    table.row({group.name, format_count(group.files), group.writes ? "write" : "read",
               format_count(group.processes), group.pattern, group.shape, format_bytes(Bytes(group.bytes))});
  }
  out.table(table);
  if (patterns.groups.size() > top) out.print("{} more; --top shows them\n", patterns.groups.size() - top);
}

void print_sequences(const semantics::Patterns& patterns, Output& out) {
  Table table({{"accesses follow each other"},
               {"consecutive", Table::right},
               {"monotonic", Table::right},
               {"random", Table::right},
               {"of", Table::right}});
  const auto row = [&](std::string title, const Sequence& one) {
    table.row({std::move(title), share(one.consecutive, one.all()), share(one.monotonic, one.all()),
               share(one.random, one.all()), format_count(one.all())});
  };
  row("for each process (local)", patterns.local);
  row("for the file system (global)", patterns.global);
  out.write("\n");
  out.table(table);
}

void print_files(const semantics::Accesses& accesses, const semantics::Patterns& patterns, std::size_t top,
                 Output& out) {
  Table table({{"file", Table::shrinks},
               {"access"},
               {"requests", Table::right},
               {"mean", Table::right},
               {"local cons.", Table::right},
               {"global cons.", Table::right},
               {"global random", Table::right},
               {"stride", Table::shrinks}});
  std::vector<const FilePattern*> files;
  for (const FilePattern& one : patterns.files) files.push_back(&one);
  std::stable_sort(files.begin(), files.end(), [](const FilePattern* a, const FilePattern* b) {
    return a->sizes.bytes > b->sizes.bytes;
  });
  for (std::size_t i = 0; i < files.size() && i < top; ++i) {
    const FilePattern& one = *files[i];
    table.row({accesses.files[one.file].name, one.writes ? "write" : "read", format_count(one.sizes.count),
               format_bytes(Bytes(one.sizes.bytes / one.sizes.count)),
               share(one.local.consecutive, one.local.all()), share(one.global.consecutive, one.global.all()),
               share(one.global.random, one.global.all()), one.stride ? stride_text(*one.stride) : "-"});
  }
  out.write("\n");
  out.table(table);
}

void print_sizes(const semantics::Patterns& patterns, Output& out) {
  Table table({{"request size"}, {"reads", Table::right}, {"writes", Table::right}});
  for (std::size_t i = 0; i < patterns.reads.bins.size(); ++i) {
    if (patterns.reads.bins[i] + patterns.writes.bins[i] == 0) continue;
    const auto dash = [](std::uint64_t count) { return count == 0 ? std::string("-") : format_count(count); };
    table.row({fmt::format("from {}", format_bytes(Bytes(std::uint64_t{1} << i))),
               dash(patterns.reads.bins[i]), dash(patterns.writes.bins[i])});
  }
  out.write("\n");
  out.table(table);
}

struct Maker {
  std::string_view word;   // for machines
  std::string_view title;  // for people
};

Maker maker_of(semantics::MetadataCount::Library library) {
  using Library = semantics::MetadataCount::Library;
  switch (library) {
    case Library::mpi:
      return {"mpi", "MPI"};
    case Library::hdf5:
      return {"hdf5", "HDF5"};
    case Library::netcdf:
      return {"netcdf", "NetCDF"};
    case Library::pnetcdf:
      return {"pnetcdf", "PnetCDF"};
    case Library::none:
      break;
  }
  return {"program", "the program"};
}

void print_metadata(const semantics::Accesses& accesses, Output& out) {
  if (accesses.metadata.empty()) return;
  Table table({{"metadata operation"}, {"layer"}, {"made by"}, {"calls", Table::right}});
  for (const semantics::MetadataCount& one : accesses.metadata)
    table.row({one.function, one.layer, std::string(maker_of(one.made_by).title), format_count(one.calls)});
  out.write("\n");
  out.table(table);
}

Json sequence_json(const Sequence& one) {
  return {{"consecutive", one.consecutive}, {"monotonic", one.monotonic}, {"random", one.random}};
}

Json sizes_json(const semantics::Sizes& sizes) {
  Json bins = Json::array();
  for (std::size_t i = 0; i < sizes.bins.size(); ++i)
    if (sizes.bins[i] > 0) bins.push_back({{"from_bytes", std::uint64_t{1} << i}, {"count", sizes.bins[i]}});
  return {{"count", sizes.count},
          {"bytes", sizes.bytes},
          {"least_bytes", sizes.count > 0 ? Json(sizes.least) : Json(nullptr)},
          {"most_bytes", sizes.count > 0 ? Json(sizes.most) : Json(nullptr)},
          {"bins", std::move(bins)}};
}

Json file_json(const semantics::Accesses& accesses, const FilePattern& one) {
  Json json = {{"name", accesses.files[one.file].name}, {"access", one.writes ? "write" : "read"},
               {"processes", one.processes.size()},     {"local", sequence_json(one.local)},
               {"global", sequence_json(one.global)},   {"sizes", sizes_json(one.sizes)}};
  json["stride"] = nullptr;
  if (one.stride)
    json["stride"] = {{"first_bytes", one.stride->first},
                      {"stride_bytes", one.stride->stride},
                      {"length_bytes", one.stride->length},
                      {"phases", one.stride->phases},
                      {"cycle_bytes", one.stride->cyclic() ? Json(one.stride->cycle) : Json(nullptr)}};
  return json;
}

Json patterns_json(const semantics::Accesses& accesses, const semantics::Patterns& patterns) {
  Json document = json_document("patterns");
  document["processes"] = patterns.processes;
  document["accesses"] = accesses.access_count;
  Json groups = Json::array();
  for (const semantics::GroupPattern& group : patterns.groups)
    groups.push_back({{"name", group.name},
                      {"access", group.writes ? "write" : "read"},
                      {"files", group.files},
                      {"processes", group.processes},
                      {"pattern", group.pattern},
                      {"shape", group.shape},
                      {"bytes", group.bytes}});
  document["groups"] = std::move(groups);
  document["local"] = sequence_json(patterns.local);
  document["global"] = sequence_json(patterns.global);
  document["reads"] = sizes_json(patterns.reads);
  document["writes"] = sizes_json(patterns.writes);
  Json files = Json::array();
  for (const FilePattern& one : patterns.files) files.push_back(file_json(accesses, one));
  document["files"] = std::move(files);
  Json metadata = Json::array();
  for (const semantics::MetadataCount& one : accesses.metadata)
    metadata.push_back({{"function", one.function},
                        {"layer", one.layer},
                        {"made_by", std::string(maker_of(one.made_by).word)},
                        {"calls", one.calls}});
  document["metadata"] = std::move(metadata);
  return document;
}

Result<int> run_patterns(const Options& options, Output& out) {
  const auto trace = open_trace(options.input);
  if (!trace) return trace.error();
  semantics::RebuildOptions how;
  how.salvage = options.input.salvage;
  Progress progress("reading", trace->records());
  how.advance = [&](std::uint64_t count) { progress.advance(count); };
  const auto accesses = semantics::rebuild({&*trace}, how);
  if (!accesses) return accesses.error().with_remedy("read what is readable with --salvage");
  const semantics::Patterns patterns = semantics::find_patterns(*accesses);
  if (options.json) {
    out.json(patterns_json(*accesses, patterns));
    return 0;
  }
  if (patterns.files.empty()) {
    out.write("the trace has no calls that read or write files\n");
    print_metadata(*accesses, out);
    return 0;
  }
  print_groups(patterns, options.top, out);
  print_sequences(patterns, out);
  print_files(*accesses, patterns, options.top, out);
  print_sizes(patterns, out);
  print_metadata(*accesses, out);
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_trace_argument(app, options->input);
  app.add_option("--top", options->top, "groups and files to list (10)")->type_name("N");
  add_json_flag(app, options->json);
  add_salvage_flag(app, options->input);
  return [options](Output& out) { return run_patterns(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir patterns run.trace", "who accesses which files, in which order, with which request sizes"},
    Example{"weir patterns run.trace --json | jq '.groups[] | {name, pattern}'", "N-1 or N-N, for a script"},
};

}  // namespace

const Command kPatterns = {
    .name = "patterns",
    .summary = "how a traced program accesses its files: X-Y, strides, request sizes, metadata",
    .examples = kExamples,
    .define = define,
    .notes =
        "X-Y: N all processes, M some of them, 1 one; N-1 is one file that all access, N-N a file for each. "
        "Files whose "
        "names differ in numbers only are one line. Consecutive: an access begins where the one before "
        "ended; "
        "monotonic: behind it; random: elsewhere.",
};

}  // namespace weir::cli
