#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "campaign/store.hpp"
#include "cli/command.hpp"

namespace weir::cli {

// The parts of `weir bench`.
extern const Command kBenchRun, kBenchShow, kBenchExport, kBenchCompare, kBenchMerge, kBenchImport,
    kBenchGrid, kBenchRestore;

// A campaign as a user names it: "runs.db", whose newest is meant, or "runs.db#2".
struct CampaignName {
  std::filesystem::path file;
  std::int64_t number = 0;  // 0: the newest
};
Result<CampaignName> parse_campaign_name(const std::string& text);

struct OpenedCampaign {
  campaign::Store store;
  std::int64_t number = 0;
  campaign::CampaignFacts facts;
};
// To read. Errors name the campaigns that are there.
Result<OpenedCampaign> open_campaign(const std::string& text);

// "1.25 GiB/s".
std::string rate_text(double bytes_per_second);

// A line per configuration, the varying factors first; at most `most` lines.
void print_summary(const OpenedCampaign& opened, std::size_t most, Output& out);
Json summary_json(const OpenedCampaign& opened);

}  // namespace weir::cli
