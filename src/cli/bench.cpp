#include "cli/bench.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/units.hpp"
#include "cli/commands.hpp"

namespace weir::cli {

Result<CampaignName> parse_campaign_name(const std::string& text) {
  CampaignName name{.file = text, .number = 0};
  const std::size_t hash = text.rfind('#');
  if (hash == std::string::npos) return name;
  const char* const end = text.data() + text.size();
  const auto [stopped, fault] = std::from_chars(text.data() + hash + 1, end, name.number);
  if (fault != std::errc() || stopped != end || name.number < 1)
    return Error{Errc::usage, fmt::format("'{}' is not the number of a campaign", text.substr(hash + 1))}
        .in(text)
        .with_remedy("write runs.db for the newest, runs.db#2 for the second");
  name.file = text.substr(0, hash);
  return name;
}

Result<OpenedCampaign> open_campaign(const std::string& text) {
  auto name = parse_campaign_name(text);
  if (!name) return name.error();
  auto store = campaign::Store::open_to_read(name->file);
  if (!store) return store.error();
  const auto all = store->campaigns();
  if (!all) return all.error();
  if (all->empty()) return Error{Errc::not_found, "holds no campaign"}.in(name->file.string());
  const std::int64_t number = name->number == 0 ? all->back() : name->number;
  auto facts = store->campaign(number);
  if (!facts) return facts.error();
  return OpenedCampaign{*std::move(store), number, *std::move(facts)};
}

std::string rate_text(double bytes_per_second) {
  if (!(bytes_per_second >= 0)) return "-";
  return format_rate(Bytes(static_cast<std::uint64_t>(bytes_per_second)), Nanoseconds(1'000'000'000));
}

namespace {

constexpr std::array kParts = {&kBenchRun,     &kBenchShow,  &kBenchGrid,   &kBenchExport,
                               &kBenchCompare, &kBenchMerge, &kBenchImport, &kBenchRestore};
constexpr std::array kExamples = {
    Example{"weir bench run --grid examples/quick.toml --runs 40 --dir scratch",
            "measure; every run goes to quick.db"},
    Example{"weir bench run --db quick.db --resume --dir scratch", "go on after an interruption"},
    Example{"weir bench show quick.db", "what is there, per configuration"},
    Example{"weir fit quick.db --group mode", "the distribution of what was measured"},
};

}  // namespace

const Command kBench = {
    .name = "bench",
    .summary = "measure a storage system over a grid of configurations, run by run",
    .examples = kExamples,
    .parts = kParts,
};

}  // namespace weir::cli
