#include "workload/stripe.hpp"

#include <array>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "campaign/environment.hpp"
#include "campaign/machine_name.hpp"
#include "campaign/store.hpp"
#include "campaign/stripe_study.hpp"
#include "campaign/testbed.hpp"
#include "cli/bench.hpp"
#include "cli/commands.hpp"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> targets;
  std::uint32_t testbed = 0;
  std::string size = "512M", stripe = "1M", rate = "64M", db;
  std::uint32_t runs = 400, warm_up = 3;
  bool direct = false, keep = false, json = false;
};

double seconds(Nanoseconds time) { return static_cast<double>(time.count) * 1e-9; }

campaign::RunRow row_of(const workload::StripeOutcome& outcome, const workload::StripeJob& job) {
  campaign::RunRow row;
  row.started_ns = outcome.started_ns;
  row.duration_s = seconds(outcome.total);
  row.bytes = static_cast<double>(job.size.count);
  row.throughput = *row.bytes / *row.duration_s;
  Json parts = Json::array();
  for (const workload::StripePart& part : outcome.parts)
    parts.push_back({{"open_s", seconds(part.open)},
                     {"write_s", seconds(part.write)},
                     {"close_s", seconds(part.close)},
                     {"bytes", part.bytes.count}});
  row.workers = {{"total_s", *row.duration_s},
                 {"open_s", seconds(outcome.open)},
                 {"close_s", seconds(outcome.close)},
                 {"parts", outcome.parts.empty() ? Json(nullptr) : std::move(parts)}};
  return row;
}

campaign::StripeTimes times_of(const workload::StripeOutcome& outcome) {
  campaign::StripeTimes times{.total_s = seconds(outcome.total), .parts_s = {}};
  for (const workload::StripePart& part : outcome.parts) times.parts_s.push_back(seconds(part.write));
  return times;
}

// A store and the one campaign in it that this command fills; none without --db.
class Keeper {
 public:
  static Result<Keeper> open(const Options& options, const workload::StripeJob& job) {
    Keeper keeper;
    if (options.db.empty()) return keeper;
    auto store = campaign::Store::open(options.db);
    if (!store) return store.error();
    campaign::CampaignFacts facts;
    facts.name = "stripe";
    facts.kind = "stripe";
    facts.runs = options.runs;
    facts.factors = {"targets", "size", "stripe"};
    facts.environment = campaign::capture_environment(job.targets.front());
    const auto number =
        store->add_campaign(facts, {{fmt::to_string(job.targets.size()), fmt::to_string(job.size.count),
                                     fmt::to_string(job.stripe.count)}});
    if (!number) return number.error();
    keeper.store_ = *std::move(store);
    keeper.number_ = *number;
    return keeper;
  }

  Result<void> keep(campaign::RunRow row, std::uint32_t repeat) {
    if (!store_) return {};
    row.repeat = repeat;
    row.machine = campaign::machine_name();
    return store_->add_run(number_, row);
  }

  std::int64_t number() const { return number_; }

 private:
  std::optional<campaign::Store> store_;
  std::int64_t number_ = 0;
};

struct Measured {
  std::vector<campaign::StripeTimes> times;
  std::uint32_t failed = 0;
  std::string first_failure;
  bool interrupted = false;
};

Result<Measured> measure(const Options& options, workload::StripeJob job, Keeper& keeper) {
  Measured measured;
  Progress progress("writing", options.runs);
  for (std::uint32_t run = 0; run < options.warm_up + options.runs; ++run) {
    if (interrupted()) {
      measured.interrupted = true;
      break;
    }
    job.run = run;
    const auto outcome = workload::write_striped(job);
    if (run < options.warm_up) {
      if (!outcome) return outcome.error();
      continue;
    }
    progress.advance();
    campaign::RunRow row;
    if (outcome) {
      row = row_of(*outcome, job);
      measured.times.push_back(times_of(*outcome));
    } else {
      row.state = campaign::RunState::failed;
      row.reason = outcome.error().text();
      if (measured.failed++ == 0) measured.first_failure = row.reason;
    }
    if (const auto kept = keeper.keep(row, run - options.warm_up); !kept) return kept.error();
    // Nothing was ever written: it will not come right by trying on.
    if (measured.times.empty() && measured.failed >= 3) return outcome.error();
  }
  return measured;
}

void print_study(const campaign::StripeStudy& study, const Measured& measured, const workload::StripeJob& job,
                 Output& out) {
  double least = measured.times.front().total_s, most = least;
  for (const auto& times : measured.times) {
    least = std::min(least, times.total_s);
    most = std::max(most, times.total_s);
  }
  out.print("{} writes of {} in stripes of {} over {} target{}: {} to {} s\n", measured.times.size(),
            format_bytes(job.size), format_bytes(job.stripe), job.targets.size(),
            job.targets.size() == 1 ? "" : "s", number(least), number(most));
  if (study.fit) {
    const auto& p = study.fit->parameters;
    const auto& se = study.fit->standard_errors;
    out.print("\nGEV of T    location {} ± {} s   scale {} ± {} s   shape {} ± {}\n", number(p.location),
              number(se[0], 2), number(p.scale), number(se[1], 2), number(p.shape, 3), number(se[2], 2));
    if (study.shape)
      out.print("            shape 95 % {} to {} (profile likelihood)\n", number(study.shape->low, 3),
                number(study.shape->high, 3));
    if (!study.fit->note.empty()) out.print("            {}\n", study.fit->note);
  } else {
    out.print("\nGEV of T    no fit: {}\n", study.no_fit);
  }
  out.print("order       lag-1 autocorrelation of T {}, p {}\n", number(study.order.lag_one, 2),
            number(study.order.p_value, 2));
  if (!study.correlation.empty()) {
    out.print("targets     correlation of S_i: mean {}, {} to {}\n", number(study.mean_correlation, 2),
              number(study.least_correlation, 2), number(study.greatest_correlation, 2));
    Table table({{"target", Table::right},
                 {"directory", Table::shrinks},
                 {"mean S_i", Table::right},
                 {"slowest", Table::right}});
    for (std::size_t i = 0; i < study.targets; ++i) {
      double sum = 0;
      for (const auto& times : measured.times) sum += times.parts_s[i];
      table.row({fmt::to_string(i), job.targets[i].string(),
                 fmt::format("{} s", number(sum / static_cast<double>(measured.times.size()), 4)),
                 fmt::format("{} times", study.slowest[i])});
    }
    out.write("\n");
    out.table(table);
  }
  out.write("\n");
  for (const std::string& line : study.verdict) out.print("Verdict: {}\n", line);
}

Result<int> run_stripe(const Options& options, Output& out) {
  workload::StripeJob job;
  const auto size = parse_bytes(options.size);
  if (!size) return size.error().in("--size");
  const auto stripe = parse_bytes(options.stripe);
  if (!stripe) return stripe.error().in("--stripe");
  const auto rate = parse_bytes(options.rate);
  if (!rate) return rate.error().in("--rate");
  job.size = *size;
  job.stripe = *stripe;
  job.direct = options.direct;
  job.keep = options.keep;
  if (options.targets.empty() == (options.testbed == 0))
    return Error{Errc::usage,
                 options.targets.empty() ? "no targets" : "--targets and --testbed exclude each other"}
        .with_remedy(
            "give --targets DIR,DIR,... on the storage to be measured, or --testbed 16 to try it on this "
            "machine");
  std::optional<campaign::Testbed> bed;
  if (options.testbed > 0) {
    auto up = campaign::Testbed::up({.count = options.testbed,
                                     .size = Bytes(job.size.count / options.testbed + job.stripe.count),
                                     .rate = *rate,
                                     .dirty = {}});
    if (!up) return up.error();
    bed = *std::move(up);
    job.targets = bed->targets();
  } else {
    for (const std::string& target : options.targets) job.targets.emplace_back(target);
  }
  auto keeper = Keeper::open(options, job);
  if (!keeper) return keeper.error();
  auto measured = measure(options, job, *keeper);
  if (bed)
    if (const auto down = bed->down(); !down) warn("{}", down.error().text());
  if (!measured) return measured.error();
  if (measured->times.empty()) return Error{Errc::interrupted, "no write was finished"};
  const auto study = campaign::study_stripes(measured->times);
  if (options.json) {
    Json document = json_document("stripe");
    document["size_bytes"] = job.size.count;
    document["stripe_bytes"] = job.stripe.count;
    document["store"] = options.db.empty() ? Json(nullptr) : Json(options.db);
    document["failed"] = measured->failed;
    document["study"] = to_json(study);
    Json total = Json::array(), parts = Json::array();
    for (const auto& times : measured->times) {
      total.push_back(times.total_s);
      parts.push_back(times.parts_s.empty() ? Json(nullptr) : Json(times.parts_s));
    }
    document["total_s"] = std::move(total);
    document["parts_s"] = std::move(parts);
    out.measured_json(document);
  } else {
    print_study(study, *measured, job, out);
    if (!options.db.empty()) out.print("\nruns are in {}#{}\n", options.db, keeper->number());
  }
  if (measured->failed > 0)
    warn("{} writes failed; the first: {}", measured->failed, measured->first_failure);
  if (measured->interrupted)
    return Error{Errc::interrupted, fmt::format("stopped after {} writes", measured->times.size())};
  return 0;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--targets", options->targets,
                 "directories, one on each storage target; one directory of a striped file system")
      ->type_name("DIR,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--testbed", options->testbed,
                 "make this many throttled loop devices and write to them; needs root")
      ->check(CLI::Range(1U, 64U))
      ->type_name("N");
  app.add_option("--size", options->size, "of the whole file")->type_name("SIZE")->capture_default_str();
  app.add_option("--runs", options->runs, "writes to time")
      ->check(CLI::Range(1U, 10'000'000U))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--stripe", options->stripe, "bytes that go to one target before the next")
      ->type_name("SIZE")
      ->capture_default_str();
  app.add_option("--db", options->db, "keep every write in this store")->type_name("FILE");
  app.add_flag("--direct", options->direct, "O_DIRECT as well as O_SYNC");
  app.add_flag("--keep", options->keep, "leave the files");
  add_json_flag(app, options->json);
  const std::string few = "For few";
  app.add_option("--warm-up", options->warm_up, "writes before those that count")
      ->type_name("N")
      ->capture_default_str()
      ->group(few);
  app.add_option("--rate", options->rate, "what a testbed device takes in a second")
      ->type_name("SIZE")
      ->capture_default_str()
      ->group(few);
  return [options](Output& out) { return run_stripe(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir stripe --targets /mnt/ost0,/mnt/ost1 --size 512M --runs 400",
            "times of the slowest target, with an extreme value fit"},
    Example{"weir stripe --targets /lustre/scratch --db stripe.db",
            "a file system that stripes by itself; every write is kept"},
    Example{"weir stripe --testbed 16 --size 64M --runs 100",
            "on this machine, over 16 throttled loop devices"},
    Example{"weir fit stripe.db --column duration_s --family gev", "the same fit later"},
};

}  // namespace

const Command kStripe = {
    .name = "stripe",
    .summary = "time synchronous writes striped over storage targets, and fit their extremes",
    .examples = kExamples,
    .define = define,
    .notes =
        "T is the time of the slowest target. Theory makes it follow a generalised extreme value "
        "distribution when the targets' "
        "times S_i are independent and alike; the verdict says whether they were.",
};

}  // namespace weir::cli
