#include "campaign/samples.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "campaign/run_columns.hpp"
#include "campaign/store.hpp"

namespace weir::campaign {
namespace {

struct Campaign {
  std::int64_t number = 0;
  CampaignFacts facts;
};

class SampleReader {
 public:
  SampleReader(const Store& store, const stats::SampleQuery& query, bool with_disturbed)
      : store_(store), query_(query), with_disturbed_(with_disturbed) {}

  Result<stats::Samples> run() {
    if (!query_.wide.empty())
      return Error{Errc::usage, "a store has a row a run; wide columns are for files"};
    const auto column = find_run_column(query_.column.empty() ? "throughput" : query_.column);
    if (!column) return column.error();
    column_ = *column;
    if (auto listed = list_campaigns(); !listed) return listed.error();
    if (auto chosen = choose_key(); !chosen) return chosen.error();
    for (const Campaign& campaign : campaigns_)
      if (auto read = read_campaign(campaign); !read) return read.error();
    return finish();
  }

 private:
  Result<void> list_campaigns() {
    const auto numbers = store_.campaigns();
    if (!numbers) return numbers.error();
    for (const std::int64_t number : *numbers) {
      auto facts = store_.campaign(number);
      if (!facts) return facts.error();
      campaigns_.push_back({number, *std::move(facts)});
    }
    if (campaigns_.empty()) return Error{Errc::bad_data, "holds no campaign"};
    return {};
  }

  // The columns that make the groups' keys.
  Result<void> choose_key() {
    std::map<std::string, std::set<std::string>> levels;
    std::vector<std::string> factors;  // in order of appearance
    for (const Campaign& campaign : campaigns_) {
      const auto configurations = store_.configurations(campaign.number);
      if (!configurations) return configurations.error();
      for (std::size_t f = 0; f < campaign.facts.factors.size(); ++f) {
        const std::string& factor = campaign.facts.factors[f];
        if (!levels.contains(factor)) factors.push_back(factor);
        auto& seen = levels[factor];
        for (const Levels& one : *configurations)
          if (f < one.size()) seen.insert(one[f]);
      }
    }
    if (query_.group.empty()) {
      if (campaigns_.size() > 1) key_.emplace_back("campaign");
      for (const std::string& factor : factors)
        if (levels[factor].size() > 1) key_.push_back(factor);
      return {};
    }
    factors.insert(factors.end(), {"machine", "campaign"});
    for (const std::string& wanted : query_.group) {
      if (std::find(factors.begin(), factors.end(), wanted) == factors.end()) {
        const auto meant = nearest(wanted, factors);
        return Error{Errc::not_found, fmt::format("no factor '{}'", wanted)}.with_remedy(
            meant ? fmt::format("did you mean '{}'?", *meant)
                  : fmt::format("there are {}", fmt::join(factors, ", ")));
      }
      key_.push_back(wanted);
    }
    return {};
  }

  Result<void> read_campaign(const Campaign& campaign) {
    by_configuration_.clear();
    return store_.walk_runs(
        campaign.number, false, [&](const RunRow& run, const Levels& levels) -> Result<void> {
          ++samples_.report.rows;
          stats::Group& group = group_of(campaign, run, levels);
          if (run.state == RunState::failed || (run.state == RunState::disturbed && !with_disturbed_)) {
            leave_out(group, {stats::ProblemKind::fields, samples_.report.rows, "",
                              fmt::format("a run that is {}{}{}", name(run.state),
                                          run.reason.empty() ? "" : ": ", run.reason)});
            return {};
          }
          const auto value = column_->value(run);
          if (!value) {
            stats::Problem missing{stats::ProblemKind::missing, samples_.report.rows,
                                   std::string(column_->name), ""};
            if (query_.strict) return Error{Errc::bad_data, missing.message()};
            leave_out(group, std::move(missing));
            return {};
          }
          group.values.push_back(*value);
          return {};
        });
  }

  stats::Group& group_of(const Campaign& campaign, const RunRow& run, const Levels& levels) {
    // Runs of one configuration on one machine are in one group.
    const auto [known, fresh] = by_configuration_.try_emplace({run.configuration, run.machine}, 0);
    if (fresh) known->second = find_group(campaign, run, levels);
    return samples_.groups[known->second];
  }
  std::size_t find_group(const Campaign& campaign, const RunRow& run, const Levels& levels) {
    std::vector<std::string> values;
    for (const std::string& part : key_) {
      const auto found = std::find(campaign.facts.factors.begin(), campaign.facts.factors.end(), part);
      const auto place = static_cast<std::size_t>(found - campaign.facts.factors.begin());
      if (place < levels.size() && found != campaign.facts.factors.end())
        values.push_back(levels[place]);
      else if (part == "machine")
        values.push_back(run.machine);
      else if (part == "campaign")
        values.push_back(campaign_label(campaign));
      else
        values.emplace_back();
    }
    const auto [at, made] = index_.try_emplace(std::move(values), samples_.groups.size());
    if (made) {
      stats::Group& fresh = samples_.groups.emplace_back();
      for (std::size_t i = 0; i < key_.size(); ++i) fresh.key.push_back({key_[i], at->first[i]});
    }
    return at->second;
  }
  // Campaigns of one name are told apart by their numbers.
  std::string campaign_label(const Campaign& campaign) const {
    const auto same_name = std::count_if(campaigns_.begin(), campaigns_.end(), [&](const Campaign& other) {
      return other.facts.name == campaign.facts.name;
    });
    return same_name > 1 ? fmt::format("{}#{}", campaign.facts.name, campaign.number) : campaign.facts.name;
  }

  void leave_out(stats::Group& group, stats::Problem problem) {
    stats::InputReport& report = samples_.report;
    ++group.skipped;
    ++report.skipped;
    ++report.by_kind[static_cast<std::size_t>(problem.kind)];
    if (report.first.size() < stats::InputReport::kListedProblems) report.first.push_back(std::move(problem));
  }

  Result<stats::Samples> finish() {
    if (samples_.report.rows == 0) return Error{Errc::bad_data, "holds no runs"};
    const auto empty = [](const stats::Group& group) { return group.values.empty(); };
    for (const stats::Group& group : samples_.groups) {
      if (empty(group)) samples_.report.empty_groups.push_back(label(group));
      samples_.report.values += group.values.size();
    }
    std::erase_if(samples_.groups, empty);
    if (samples_.groups.empty())
      return Error{Errc::bad_data,
                   fmt::format("not one usable value of {} in {} runs; first: {}", column_->name,
                               samples_.report.rows, samples_.report.first.front().message())};
    samples_.column = column_->name;
    return std::move(samples_);
  }

  const Store& store_;
  const stats::SampleQuery& query_;
  bool with_disturbed_;
  const RunColumn* column_ = nullptr;
  std::vector<Campaign> campaigns_;
  std::vector<std::string> key_;
  std::map<std::vector<std::string>, std::size_t> index_;                         // groups by key
  std::map<std::pair<std::int64_t, std::string>, std::size_t> by_configuration_;  // of this campaign
  stats::Samples samples_;
};

}  // namespace

Result<stats::Samples> read_samples(const std::filesystem::path& store, const stats::SampleQuery& query,
                                    bool with_disturbed) {
  const auto opened = Store::open_to_read(store);
  if (!opened) return opened.error();
  auto samples = SampleReader(*opened, query, with_disturbed).run();
  if (!samples)
    return samples.error().context().empty() ? samples.error().in(store.string()) : samples.error();
  samples->source = store.string();
  return samples;
}

}  // namespace weir::campaign
