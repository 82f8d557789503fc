#include "stats/detail/collector.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"

namespace weir::stats::detail {

void ValueStore::seal() {
  full_.push_back(std::move(last_));
  last_ = std::vector<double>();
  last_.reserve(kChunk);
}

std::vector<double> ValueStore::take() {
  if (full_.empty()) {
    last_.shrink_to_fit();
    return std::move(last_);
  }
  std::vector<double> all;
  all.reserve(full_.size() * kChunk + last_.size());  // pages are touched only as chunks move over
  for (std::vector<double>& chunk : full_) {
    all.insert(all.end(), chunk.begin(), chunk.end());
    chunk = std::vector<double>();  // "= {}" would keep the memory
  }
  all.insert(all.end(), last_.begin(), last_.end());
  full_.clear();
  last_ = std::vector<double>();
  return all;
}

std::size_t Collector::group(std::span<const std::string_view> key) {
  WEIR_CHECK(key.size() == key_columns_.size());
  if (key.empty() && last_group_ != kNoGroup) return last_group_;
  joined_.clear();
  for (const std::string_view part : key) {
    joined_ += part;
    joined_ += '\0';  // never inside a field: the line reader refuses zero bytes
  }
  if (last_group_ != kNoGroup && joined_ == last_joined_) return last_group_;
  const auto [at, fresh] = index_.try_emplace(joined_, groups_.size());
  if (fresh) {
    Group made;
    for (std::size_t i = 0; i < key.size(); ++i) made.key.push_back({key_columns_[i], std::string(key[i])});
    groups_.push_back(std::move(made));
    stores_.emplace_back();
  }
  last_joined_ = joined_;
  last_group_ = at->second;
  return last_group_;
}

Result<void> Collector::problem(ProblemKind kind, std::size_t line, std::string_view column,
                                std::string_view text, std::size_t group) {
  constexpr std::size_t kLongestShown = 40;
  const bool wordy =
      kind == ProblemKind::fields || kind == ProblemKind::json;  // our own words, not the input's
  std::string shown(text.substr(0, wordy ? std::string_view::npos : kLongestShown));
  if (shown.size() < text.size()) shown += "...";
  Problem found{kind, line, std::string(column), std::move(shown)};
  if (strict_) return Error{Errc::bad_data, found.message()};
  ++report_.skipped;
  ++report_.by_kind[static_cast<std::size_t>(kind)];
  if (group != kNoGroup) ++groups_[group].skipped;
  if (report_.first.size() < InputReport::kListedProblems) report_.first.push_back(std::move(found));
  return {};
}

Result<Samples> Collector::finish(std::string source, std::string column) {
  Samples samples{std::move(source), std::move(column), {}, std::move(report_)};
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    groups_[i].values = stores_[i].take();
    stores_[i] = {};
    if (groups_[i].values.empty()) {
      if (strict_) return Error{Errc::bad_data, fmt::format("group {} has no values", label(groups_[i]))};
      samples.report.empty_groups.push_back(label(groups_[i]));
      continue;
    }
    samples.report.values += groups_[i].values.size();
    samples.groups.push_back(std::move(groups_[i]));
  }
  if (!samples.groups.empty()) return samples;
  if (samples.report.rows == 0) return Error{Errc::bad_data, "holds no data rows"};
  std::string message = fmt::format("not one usable value in {} rows", samples.report.rows);
  if (!samples.report.first.empty()) message += fmt::format("; first: {}", samples.report.first[0].message());
  return Error{Errc::bad_data, std::move(message)};
}

}  // namespace weir::stats::detail
