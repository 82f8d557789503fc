#include <array>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/units.hpp"
#include "campaign/export.hpp"
#include "campaign/import.hpp"
#include "campaign/machine_name.hpp"
#include "cli/bench.hpp"

namespace weir::cli {
namespace {

struct ExportOptions {
  std::string campaign, csv = "-";
  bool all = false;
};

Result<int> export_runs(const ExportOptions& options, Output& out) {
  const auto opened = open_campaign(options.campaign);
  if (!opened) return opened.error();
  const std::vector<std::int64_t> wanted =
      options.all ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{opened->number};
  if (options.csv == "-") {
    const auto runs =
        campaign::export_csv(opened->store, wanted, [&out](std::string_view text) -> Result<void> {
          out.write(text);
          return {};
        });
    if (!runs) return runs.error();
    return 0;
  }
  auto file = AtomicFile::create(options.csv);
  if (!file) return file.error();
  const auto runs = campaign::export_csv(
      opened->store, wanted, [&file](std::string_view text) { return file->write(as_bytes(text)); });
  if (!runs) return runs.error().in(options.csv);
  if (const auto kept = file->commit(); !kept) return kept.error().in(options.csv);
  out.print("{} runs in {}\n", format_count(*runs), options.csv);
  return 0;
}

Run define_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  app.add_option("DB", options->campaign, "a results store; DB#2 is its second campaign, else the newest")
      ->required();
  app.add_option("--csv", options->csv, "where the rows go; - is standard output")
      ->type_name("OUT")
      ->capture_default_str();
  app.add_flag("--all", options->all, "every campaign of the store");
  return [options](Output& out) { return export_runs(*options, out); };
}

constexpr std::array kExportExamples = {
    Example{"weir bench export quick.db --csv runs.csv", "a row per run, for R, pandas or a spreadsheet"},
};

struct ImportOptions {
  std::vector<std::string> files;
  std::string db, name = "imported", machine;
};

Result<int> import_runs(const ImportOptions& options, Output& out) {
  auto store = campaign::Store::open(options.db);
  if (!store) return store.error();
  const auto imported =
      campaign::import_results(*store, options.name, {options.files.begin(), options.files.end()},
                               options.machine.empty() ? campaign::machine_name() : options.machine);
  if (!imported) return imported.error();
  out.print("{} runs of {} configurations in {}#{}\n", format_count(imported->runs),
            format_count(imported->configurations), options.db, imported->campaign);
  return 0;
}

Run define_import(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  app.add_option("FILE", options->files, "JSON output of fio or IOR")->required()->expected(1, -1);
  app.add_option("--db", options->db, "the store that gets them as a new campaign")
      ->required()
      ->type_name("FILE");
  app.add_option("--name", options->name, "of the campaign")->type_name("NAME")->capture_default_str();
  app.add_option("--machine", options->machine, "where they ran, if the files do not tell")
      ->type_name("NAME");
  return [options](Output& out) { return import_runs(*options, out); };
}

constexpr std::array kImportExamples = {
    Example{"fio job.fio --output-format=json > fio.json; weir bench import fio.json --db runs.db",
            "fio's jobs as runs"},
    Example{"weir bench import ior-*.json --db runs.db --name ior",
            "IOR's, written with -O summaryFormat=JSON"},
};

}  // namespace

const Command kBenchExport = {
    .name = "export",
    .summary = "every run as a row of CSV",
    .examples = kExportExamples,
    .define = define_export,
};

const Command kBenchImport = {
    .name = "import",
    .summary = "results of fio and IOR as runs of a campaign",
    .examples = kImportExamples,
    .define = define_import,
};

}  // namespace weir::cli
