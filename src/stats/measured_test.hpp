#pragma once

#include <map>
#include <string>
#include <vector>

#include "stats/sample_file.hpp"

// The published measurements beside the source tree, for tests and benchmarks. Empty results where they are
// absent.
namespace weir::stats::measured {

inline constexpr const char* kAbsent = "the measurements in ../shared/data are not here";

inline std::vector<Group> groups(const std::string& name, const SampleQuery& query) {
  auto samples = read_samples(std::string(WEIR_SOURCE_DIR) + "/../shared/data/" + name, query);
  return samples ? std::move(samples->groups) : std::vector<Group>{};
}

inline std::vector<double> column(const std::string& name, const std::string& column_name) {
  auto found = groups(name, {.column = column_name});
  return found.empty() ? std::vector<double>{} : std::move(found.front().values);
}

struct Configuration {
  std::string key;  // label of freq_khz, threads, file_size_kb, record_size_kb
  std::vector<double> values;
};

// ssd_random_writers_runs.csv.zst: 150 throughputs a row.
inline std::vector<Configuration> random_writers() {
  std::vector<Configuration> result;
  for (Group& group : groups("ssd_random_writers_runs.csv.zst", {.wide = "throughput_"})) {
    std::string key = label(group);
    result.push_back({std::move(key), std::move(group.values)});
  }
  return result;
}

struct PublishedChoice {
  int runs = 0;
  int components = 0;
};

// ssd_published_mixture_choice.csv.zst for random_writers, by configuration.
inline std::map<std::string, PublishedChoice> published_choices() {
  const std::string name = "ssd_published_mixture_choice.csv.zst";
  const std::vector<std::string> key = {"freq_khz", "threads", "file_size_kb", "record_size_kb", "mode"};
  std::map<std::string, PublishedChoice> result;
  const auto read = [&](const std::string& column_name, int PublishedChoice::*field) {
    for (Group& group : groups(name, {.column = column_name, .group = key})) {
      if (group.key.back().value != "random_writers") continue;
      group.key.pop_back();
      result[label(group)].*field = static_cast<int>(group.values.front());
    }
  };
  read("runs", &PublishedChoice::runs);
  read("components", &PublishedChoice::components);
  return result;
}

}  // namespace weir::stats::measured
