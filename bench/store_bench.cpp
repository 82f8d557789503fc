// What a store with a million runs costs: opening, finding out what is done, summarising, exporting. The time
// of a plain `SELECT count(*)` over the same file stands beside it. The target is 2 s for opening, resuming
// and summarising.
//   store_bench [RUNS [CONFIGURATIONS]]
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/random.hpp"
#include "base/scratch_dir.hpp"
#include "campaign/export.hpp"
#include "campaign/samples.hpp"
#include "campaign/store.hpp"

namespace {

using weir::campaign::Store;

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Of this process: what remains the same on a busy machine.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <class T>
T must(weir::Result<T> result) {
  if (result) return *std::move(result);
  fmt::print(stderr, "{}\n", result.error().text());
  std::exit(2);
}
void must(const weir::Result<void>& result) {
  if (result) return;
  fmt::print(stderr, "{}\n", result.error().text());
  std::exit(2);
}

std::size_t argument(int argc, char** argv, int at, std::size_t otherwise) {
  std::size_t value = otherwise;
  if (at < argc) {
    const std::string_view text = argv[at];
    std::from_chars(text.data(), text.data() + text.size(), value);
  }
  return std::max<std::size_t>(value, 1);
}

// In rounds, as a campaign does it; single transactions at the end, to see what one costs.
void fill(const std::filesystem::path& file, std::size_t runs, std::size_t configurations) {
  Store store = must(Store::open(file));
  weir::campaign::CampaignFacts facts;
  facts.name = "bench";
  facts.factors = {"mode", "threads", "file_size", "record_size"};
  std::vector<weir::campaign::Levels> levels;
  for (std::size_t i = 0; i < configurations; ++i)
    levels.push_back({i % 2 == 0 ? "read" : "initial_write", fmt::format("{}", 1 + i % 64),
                      fmt::format("{}", 65536 * (1 + i / 64 % 64)),
                      fmt::format("{}", 4096 * (1 + i / 4096))});
  const auto campaign = must(store.add_campaign(facts, levels));
  weir::Random random(1);
  std::vector<weir::campaign::RunRow> batch;
  const std::size_t single = std::min<std::size_t>(runs, 1000);
  double single_seconds = 0;
  for (std::size_t i = 0; i < runs; ++i) {
    weir::campaign::RunRow run;
    run.configuration = static_cast<std::int64_t>((i * 7919) % configurations);
    run.repeat = static_cast<std::uint32_t>(i / configurations);
    run.machine = "node01";
    run.started_ns = 1'700'000'000'000'000'000 + static_cast<std::int64_t>(i) * 10'000'000;
    run.duration_s = 0.01 * (1 + 0.1 * random.uniform());
    run.bytes = 1 << 20;
    run.throughput = *run.bytes / *run.duration_s;
    run.throughput_together = *run.throughput * 1.01;
    run.read = {256, 2e-6, 5e-6, 9e-6, 1e-4};
    run.workers = weir::Json{{{"begin_s", 0.0}, {"end_s", *run.duration_s}}};
    if (i + single >= runs) {
      if (!batch.empty()) must(store.add_runs(campaign, batch));
      batch.clear();
      single_seconds += seconds_of([&] { must(store.add_run(campaign, run)); });
      continue;
    }
    batch.push_back(std::move(run));
    if (batch.size() == 10'000) {
      must(store.add_runs(campaign, batch));
      batch.clear();
    }
  }
  fmt::print("one run, one transaction: {:.0f} us\n", 1e6 * single_seconds / static_cast<double>(single));
}

double plain_count(const std::filesystem::path& file) {
  return seconds_of([&] {
    sqlite3* db = nullptr;
    sqlite3_open(file.c_str(), &db);
    sqlite3_exec(db, "SELECT count(*) FROM run", nullptr, nullptr, nullptr);
    sqlite3_close(db);
  });
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t runs = argument(argc, argv, 1, 1'000'000);
  const std::size_t configurations = argument(argc, argv, 2, 25'000);
  const weir::ScratchDir folder;
  const auto file = folder.path() / "bench.db";
  const double built = seconds_of([&] { fill(file, runs, configurations); });
  fmt::print("{} runs of {} configurations: {:.1f} MB, built in {:.1f} s\n", runs, configurations,
             static_cast<double>(std::filesystem::file_size(file)) / 1e6, built);

  std::vector<double> whole, plain, busy;
  double opening = 0, resuming = 0, summing = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double before = processor_seconds();
    whole.push_back(seconds_of([&] {
      std::optional<Store> store;
      opening = seconds_of([&] { store = must(Store::open(file)); });
      resuming = seconds_of([&] { must(store->repeats_done(1, "node01")); });
      summing = seconds_of([&] { must(store->summary(1)); });
    }));
    busy.push_back(processor_seconds() - before);
    plain.push_back(plain_count(file));
  }
  fmt::print("open {:.3f} s, done so far {:.3f} s, summary {:.3f} s\n", opening, resuming, summing);
  fmt::print(
      "together {:.3f} s (median of 5; target 2 s; {:.3f} s of processor time), plain count {:.3f} s, ratio "
      "{:.1f}\n",
      median(whole), median(busy), median(plain), median(whole) / median(plain));

  std::uint64_t bytes = 0;
  const double before_export = processor_seconds();
  const double exporting = seconds_of([&] {
    const auto store = must(Store::open_to_read(file));
    must(weir::campaign::export_csv(store, {}, [&](std::string_view text) {
      bytes += text.size();
      return weir::Result<void>();
    }));
  });
  fmt::print("export {:.2f} s ({:.2f} s of processor time): {:.0f} MB/s, {:.2f} M runs/s\n", exporting,
             processor_seconds() - before_export, static_cast<double>(bytes) / 1e6 / exporting,
             static_cast<double>(runs) / 1e6 / exporting);
  const double sampling = seconds_of([&] { must(weir::campaign::read_samples(file, {})); });
  fmt::print("as samples for a fit {:.2f} s\n", sampling);
  return 0;
}
