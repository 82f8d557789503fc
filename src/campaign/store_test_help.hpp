#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "campaign/store.hpp"

namespace weir::campaign::test {

inline Store opened(const std::filesystem::path& file) {
  auto store = Store::open(file);
  EXPECT_TRUE(store) << store.error().text();
  return *std::move(store);
}

inline CampaignFacts facts_of(std::string name, std::vector<std::string> factors) {
  CampaignFacts facts;
  facts.name = std::move(name);
  facts.factors = std::move(factors);
  return facts;
}

// Starts a second after the repeat before it.
inline RunRow run_at(std::int64_t configuration, std::uint32_t repeat, double throughput,
                     std::string machine = "here") {
  RunRow run;
  run.configuration = configuration;
  run.repeat = repeat;
  run.machine = std::move(machine);
  run.started_ns = 1'700'000'000'000'000'000 + std::int64_t{repeat} * 1'000'000'000 + configuration;
  run.throughput = throughput;
  return run;
}

}  // namespace weir::campaign::test
