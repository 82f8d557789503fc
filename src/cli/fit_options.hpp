#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/sample_options.hpp"
#include "stats/goodness.hpp"
#include "stats/plot_points.hpp"
#include "stats/selection.hpp"

namespace weir::cli {

struct FitOptions {
  SampleOptions input;
  std::string family = "all";
  int components = 0;  // 0: 1 .. max_components
  int max_components = 5;
  std::uint64_t seed = 1;
  int starts = 8;
  double floor = 0.01;
  unsigned threads = 0;
  int bootstrap = -1;  // -1: 199 for up to kDetailedGroups groups, none beyond
  bool plot = false;
  int top = 10;
  bool json = false;
  std::string csv;
  // Extremes.
  std::size_t block = 0;
  std::vector<std::string> maxima_per;
  std::vector<double> return_levels = {0.1, 0.01};
  std::string quiet;
  double slowest_of = 0;
};

// One configuration and what was found of it.
struct FittedGroup {
  stats::Group group;
  std::optional<stats::Selection> selection;
  std::string skipped;  // why there is no selection
  std::optional<stats::Goodness> goodness;
  std::optional<stats::PlotPoints> plot;
};

struct Fitted {
  stats::Samples samples;  // its groups moved into `groups`
  std::vector<FittedGroup> groups;
  double seconds = 0;
  unsigned threads = 1;
};

Json fit_json(const Fitted& fitted, const FitOptions& options);
void print_fit(const Fitted& fitted, const FitOptions& options, Output& out);
Result<void> write_fit_csv(const Fitted& fitted, const std::string& path);

// Fields that `weir fit --family gev` shares with mixtures.
Json parameters_json(const stats::MixtureFit& fit);
Json plot_json(const stats::PlotPoints& plot);

// `--slowest-of M`: the time of the slowest of 1, 2, 4 ... M targets, each with these times.
Json growth_json(const stats::Mixture& one_target, double most);
void print_growth(const stats::Mixture& one_target, double most, Output& out);

// `--family gev` and `--family gumbel`.
Result<int> run_extremes(const FitOptions& options, stats::Samples samples, Output& out);

}  // namespace weir::cli
