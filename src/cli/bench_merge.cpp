#include <array>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/json.hpp"
#include "base/units.hpp"
#include "campaign/settings.hpp"
#include "campaign/store.hpp"
#include "cli/bench.hpp"

namespace weir::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> from;
  std::string into;
  bool json = false;
};

Result<int> merge(const MergeOptions& options, Output& out) {
  auto into = campaign::Store::open(options.into);
  if (!into) return into.error();
  const auto merged = campaign::merge_stores(*into, {options.from.begin(), options.from.end()});
  if (!merged) return merged.error();
  if (options.json) {
    Json document = json_document("bench-merge");
    document["store"] = options.into;
    document["campaigns"] = merged->campaigns;
    document["runs"] = merged->runs;
    document["known"] = merged->known;
    out.json(document);
    return 0;
  }
  out.print("{}: {} runs added, {} were there already\n", options.into, format_count(merged->runs),
            format_count(merged->known));
  return 0;
}

Run define_merge(CLI::App& app) {
  auto options = std::make_shared<MergeOptions>();
  app.add_option("DB", options->from, "stores to join, of several machines")->required()->expected(1, -1);
  app.add_option("--into", options->into, "the store that gets them all; made if it is not there")
      ->required()
      ->type_name("FILE");
  add_json_flag(app, options->json);
  return [options](Output& out) { return merge(*options, out); };
}

constexpr std::array kMergeExamples = {
    Example{"weir bench merge node1.db node2.db --into all.db", "the runs of two machines in one store"},
};

struct RestoreOptions {
  std::string db;
};

Result<int> restore(const RestoreOptions& options, Output& out) {
  const auto restored = campaign::restore_settings(campaign::settings_journal(options.db));
  if (!restored) return restored.error();
  if (*restored == 0)
    out.print("nothing to restore\n");
  else
    out.print("{} settings restored\n", *restored);
  return 0;
}

Run define_restore(CLI::App& app) {
  auto options = std::make_shared<RestoreOptions>();
  app.add_option("DB", options->db, "the store of the campaign that was cut off")->required();
  return [options](Output& out) { return restore(*options, out); };
}

constexpr std::array kRestoreExamples = {
    Example{"weir bench restore quick.db", "after a power failure: put back what DB.settings tells"},
};

}  // namespace

const Command kBenchMerge = {
    .name = "merge",
    .summary = "join stores of several machines",
    .examples = kMergeExamples,
    .define = define_merge,
};

const Command kBenchRestore = {
    .name = "restore",
    .summary = "put back settings of the machine that a cut-off campaign changed",
    .examples = kRestoreExamples,
    .define = define_restore,
};

}  // namespace weir::cli
