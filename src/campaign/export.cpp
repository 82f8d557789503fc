#include "campaign/export.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "campaign/run_columns.hpp"

namespace weir::campaign {
namespace {

void append_field(std::string& line, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += text;
    return;
  }
  line += '"';
  for (const char c : text) {
    if (c == '"') line += c;
    line += c;
  }
  line += '"';
}

void append_number(std::string& line, std::optional<double> value) {
  line += ',';
  if (value) fmt::format_to(std::back_inserter(line), "{}", *value);
}

// 2026-11-16T02:42:20.886123456Z
void append_time(std::string& line, std::int64_t ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t seconds = ns / kSecond;
  std::int64_t rest = ns % kSecond;
  if (rest < 0) {
    rest += kSecond;
    --seconds;
  }
  std::tm parts{};
  const std::time_t time = seconds;
  if (::gmtime_r(&time, &parts) == nullptr) return;
  fmt::format_to(std::back_inserter(line), "{:%Y-%m-%dT%H:%M:%S}.{:09}Z", parts, rest);
}

bool taken(std::string_view name) {
  constexpr std::array<std::string_view, 6> kOthers = {"campaign", "machine", "repeat",
                                                       "started",  "state",   "reason"};
  return std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end() ||
         std::any_of(kRunColumns.begin(), kRunColumns.end(),
                     [&](const RunColumn& one) { return one.name == name; });
}

class CsvWriter {
 public:
  CsvWriter(const Store& store, const TextSink& out) : store_(store), out_(out) {}

  Result<void> header(const std::vector<std::int64_t>& campaigns) {
    for (const std::int64_t number : campaigns) {
      const auto facts = store_.campaign(number);
      if (!facts) return facts.error();
      for (const std::string& factor : facts->factors)
        if (std::find(factors_.begin(), factors_.end(), factor) == factors_.end()) factors_.push_back(factor);
    }
    text_ = "campaign,machine";
    for (const std::string& factor : factors_) {
      text_ += ',';
      append_field(text_, taken(factor) ? "factor_" + factor : factor);
    }
    text_ += ",repeat,started";
    for (const RunColumn& column : kRunColumns) fmt::format_to(std::back_inserter(text_), ",{}", column.name);
    text_ += ",state,reason\n";
    return {};
  }

  Result<void> campaign(std::int64_t number) {
    const auto facts = store_.campaign(number);
    if (!facts) return facts.error();
    std::vector<std::size_t> places;  // of this campaign's factors, by column; past its end where it has none
    for (const std::string& factor : factors_)
      places.push_back(static_cast<std::size_t>(
          std::find(facts->factors.begin(), facts->factors.end(), factor) - facts->factors.begin()));
    return store_.walk_runs(number, false, [&](const RunRow& run, const Levels& levels) -> Result<void> {
      append_field(text_, facts->name);
      text_ += ',';
      append_field(text_, run.machine);
      for (const std::size_t place : places) {
        text_ += ',';
        if (place < levels.size()) append_field(text_, levels[place]);
      }
      fmt::format_to(std::back_inserter(text_), ",{},", run.repeat);
      append_time(text_, run.started_ns);
      for (const RunColumn& column : kRunColumns) append_number(text_, column.value(run));
      fmt::format_to(std::back_inserter(text_), ",{},", name(run.state));
      append_field(text_, run.reason);
      text_ += '\n';
      ++runs_;
      constexpr std::size_t kEnough = std::size_t{1} << 16U;
      return text_.size() < kEnough ? Result<void>() : flush();
    });
  }

  Result<void> flush() {
    auto written = out_(text_);
    text_.clear();
    return written;
  }
  std::uint64_t runs() const { return runs_; }

 private:
  const Store& store_;
  const TextSink& out_;
  std::vector<std::string> factors_;
  std::string text_;
  std::uint64_t runs_ = 0;
};

}  // namespace

Result<std::uint64_t> export_csv(const Store& store, const std::vector<std::int64_t>& campaigns,
                                 const TextSink& out) {
  std::vector<std::int64_t> chosen = campaigns;
  if (chosen.empty()) {
    auto all = store.campaigns();
    if (!all) return all.error();
    chosen = *std::move(all);
  }
  CsvWriter writer(store, out);
  if (auto begun = writer.header(chosen); !begun) return begun.error();
  for (const std::int64_t number : chosen)
    if (auto written = writer.campaign(number); !written) return written.error();
  if (auto flushed = writer.flush(); !flushed) return flushed.error();
  return writer.runs();
}

}  // namespace weir::campaign
