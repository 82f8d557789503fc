#include "cli/report.hpp"

#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/units.hpp"
#include "cli/commands.hpp"
#ifdef WEIR_WITH_REPORT_ROOM
#include "campaign/machine_name.hpp"
#include "report/page.hpp"
#endif

namespace weir::cli {
namespace {

struct Options {
  std::vector<std::string> results;
  std::string out;
  std::string title;
  bool salvage = false;
};

#ifdef WEIR_WITH_REPORT_ROOM

namespace fs = std::filesystem;

constexpr std::uint64_t kMostResultBytes = std::uint64_t{256} << 20;

// When the file was last written; empty where that is not known.
std::string written(const std::string& path) {
  std::error_code problem;
  const auto when = fs::last_write_time(path, problem);
  if (problem) return {};
  const auto system = std::chrono::file_clock::to_sys(when);
  return date_text(std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(system)));
}

bool is_trace(const std::string& path) {
  std::error_code problem;
  return fs::is_directory(path, problem) || fs::path(path).extension() == ".weir";
}

Result<Json> read_result(const std::string& path, bool salvage) {
  if (is_trace(path)) return trace_view_json(path, salvage);
  const auto text = read_text(path, kMostResultBytes);
  if (!text) return text.error();
  auto document = parse_json(*text);
  if (!document)
    return document.error().in(path).with_remedy("give what a command wrote with --json, or a trace");
  if (!document->is_object() || !document->contains("schema"))
    return Error{Errc::bad_data, "is JSON, but no result of weir: it has no schema"}.in(path);
  return document;
}

// A result that is not there is a mistake in the command; one that cannot be read has its place on the page.
Result<report::Page> gather(const Options& options) {
  report::Page page;
  std::size_t readable = 0;
  Result<void> first_problem;
  for (const std::string& path : options.results) {
    std::error_code unknown;
    if (path != "-" && !fs::exists(path, unknown)) {
      const auto opened = open_file(path, 0);  // for its words: the nearest name
      return opened ? Error{Errc::not_found, "cannot be looked at"}.in(path) : opened.error();
    }
    report::Part part;
    part.source = path == "-" ? "standard input" : path;
    part.written = written(path);
    auto document = read_result(path, options.salvage);
    if (document) {
      part.document = *std::move(document);
      ++readable;
    } else {
      if (document.error().code() == Errc::interrupted) return document.error();
      part.problem = document.error().text();
      warn("{}", part.problem);
      if (first_problem) first_problem = document.error();
    }
    page.parts.push_back(std::move(part));
  }
  if (readable == 0) return first_problem.error();
  return page;
}

Result<int> run_report(const Options& options, Output& out) {
  auto page = gather(options);
  if (!page) return page.error();
  page->title = !options.title.empty() ? options.title : "Weir report: " + page->parts.front().source;
  page->command = {"weir", "report"};
  page->command.insert(page->command.end(), options.results.begin(), options.results.end());
  page->command.insert(page->command.end(), {"--out", options.out});
  if (!options.title.empty()) page->command.insert(page->command.end(), {"--title", options.title});
  if (options.salvage) page->command.emplace_back("--salvage");
  page->host = campaign::machine_name();
  page->date = date_text(std::time(nullptr));
  const std::string text = report::compose(*page);
  if (const auto done = replace_file(options.out, as_bytes(text)); !done) return done.error();
  out.print("{}: {} result{}, {}\n", options.out, page->parts.size(), page->parts.size() == 1 ? "" : "s",
            format_bytes(Bytes{text.size()}));
  return 0;
}

#else

Result<int> run_report(const Options&, Output&) {
  return Error{Errc::lacking, "this weir was built without the page of reports"}.with_remedy(
      "install nodejs and npm, and build it again");
}

#endif

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("RESULT", options->results, "what a command wrote with --json, or the directory of a trace")
      ->required();
  app.add_option("--out", options->out, "the page to write")->type_name("FILE")->required();
  app.add_option("--title", options->title, "what the page is called")->type_name("TEXT");
  app.add_flag("--salvage", options->salvage, "show what is readable of damaged traces");
  return [options](Output& out) { return run_report(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir report run.trace --out page.html", "what the program did, when, where and to which files"},
    Example{"weir report fit.json plan.json --out page.html",
            "samples, their models, how many runs are needed"},
    Example{"weir report run.trace check.json stats.json --out page.html --title melt",
            "several results on one page, under a name"},
};

}  // namespace

const Command kReport = {
    .name = "report",
    .summary = "results as charts on one self-contained HTML page",
    .examples = kExamples,
    .define = define,
    .notes =
        "The page needs no network and opens from disk; every chart has its numbers as CSV. A result that "
        "cannot be "
        "read, or of another version, says so in its place; exit 2 when not one can be read.",
};

}  // namespace weir::cli
