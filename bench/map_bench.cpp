// Predictors of variability maps: fit and prediction times on the 810 configurations of the published fread
// map (a grid of the same shape where that is absent), and Delaunay interpolation over 20 factors, one core.
// Each line has a reference that is measured in the same run. Usage: map_bench [--quick]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include <Eigen/QR>
#include <fmt/format.h>

#include "base/random.hpp"
#include "stats/measured_test.hpp"
#include "surface/delaunay/delaunay.hpp"
#include "surface/gp/gaussian.hpp"
#include "surface/map_data.hpp"
#include "surface/mars/mars.hpp"
#include "surface/shepard/shepard.hpp"

namespace {

using weir::surface::Predictor;

double seconds(const std::function<void()>& work, int repeats) {
  double best = 1e300;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

struct Data {
  Eigen::MatrixXd at;
  Eigen::VectorXd value;
};

Data fread_map() {
  const std::vector<std::string> key = {"freq_khz", "threads", "file_size_kb", "record_size_kb",
                                        "in_paper_grid"};
  Data data;
  std::vector<std::vector<double>> rows;
  for (const auto& group :
       weir::stats::measured::groups("moana_fread_cfq_noop_map.csv", {.column = "std_kb_s", .group = key}))
    if (group.key.back().value == "1")
      rows.push_back({std::stod(group.key[0].value) / 1e6, std::stod(group.key[1].value),
                      std::stod(group.key[2].value), std::stod(group.key[3].value), group.values.front()});
  if (rows.empty()) {
    fmt::print("{}; a grid of the same shape stands in\n", weir::stats::measured::kAbsent);
    for (int f = 0; f < 15; ++f)
      for (int t = 0; t < 9; ++t)
        for (const auto& [s, r] :
             {std::pair{64, 32}, {256, 32}, {256, 128}, {1024, 32}, {1024, 128}, {1024, 512}}) {
          const double threads = std::exp2(t);
          rows.push_back({1.2 + 0.12 * f, threads, 1.0 * s, 1.0 * r,
                          1e5 * threads * std::sqrt(s / r) * (1 + 0.1 * std::sin(f))});
        }
  }
  const auto n = static_cast<Eigen::Index>(rows.size());
  data.at.resize(n, 4);
  data.value.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < 4; ++j)
      data.at(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    data.value[i] = rows[static_cast<std::size_t>(i)][4];
  }
  return data;
}

// Random mixtures of measured points: inside the hull, off the grid.
Eigen::MatrixXd queries_inside(const Eigen::MatrixXd& at, Eigen::Index count) {
  weir::Random random(5);
  Eigen::MatrixXd made(count, at.cols());
  for (Eigen::Index i = 0; i < count; ++i) {
    made.row(i).setZero();
    double left = 1;
    for (int k = 0; k < 4; ++k) {
      const double share = k == 3 ? left : left * random.uniform();
      made.row(i) +=
          share * at.row(static_cast<Eigen::Index>(random.below(static_cast<std::uint64_t>(at.rows()))));
      left -= share;
    }
  }
  return made;
}

// Textbook neighbour search: all distances of every point, sorted.
void sort_all_distances(const Eigen::MatrixXd& at) {
  for (Eigen::Index k = 0; k < at.rows(); ++k) {
    Eigen::VectorXd squared = (at.rowwise() - at.row(k)).rowwise().squaredNorm();
    std::sort(squared.begin(), squared.end());
  }
}

// The first step of a forward pass by a least-squares fit for every knot.
void first_step_by_fits(const Data& data) {
  for (Eigen::Index j = 0; j < data.at.cols(); ++j) {
    std::vector<double> knots(data.at.col(j).begin(), data.at.col(j).end());
    std::sort(knots.begin(), knots.end());
    knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
    for (const double knot : knots) {
      Eigen::MatrixXd columns(data.at.rows(), 3);
      columns.col(0).setOnes();
      columns.col(1) = (data.at.col(j).array() - knot).max(0.0);
      columns.col(2) = (knot - data.at.col(j).array()).max(0.0);
      const Eigen::VectorXd found = columns.colPivHouseholderQr().solve(data.value);
      if (!found.allFinite()) fmt::print("?");
    }
  }
}

// Nearest measured point of every query: what any method but a formula has to do at least.
double nearest_of_all(const Eigen::MatrixXd& at, const Eigen::MatrixXd& queries) {
  double sum = 0;  // keeps the search from being left out
  for (Eigen::Index i = 0; i < queries.rows(); ++i) {
    Eigen::Index nearest = 0;
    sum += (at.rowwise() - queries.row(i)).rowwise().squaredNorm().minCoeff(&nearest);
  }
  return sum;
}

void line(const char* what, double took, double wanted_ms, const char* reference, double reference_took) {
  fmt::print("{:<34} {:>9.3f} ms  (wanted: {:>6.0f} ms)  {:.3f} of {} ({:.3f} ms)\n", what, took * 1e3,
             wanted_ms, took / reference_took, reference, reference_took * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  namespace surface = weir::surface;
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  const Data data = fread_map();
  const Eigen::MatrixXd queries = queries_inside(data.at, 1000);
  fmt::print("{} points, {} factors, one core\n", data.at.rows(), data.at.cols());
  double kept = 0;
  const double sorted = seconds([&] { sort_all_distances(data.at); }, 3);
  const double stepped = seconds([&] { first_step_by_fits(data); }, 3);
  const double nearest = seconds([&] { kept += nearest_of_all(data.at, queries); }, 3);
  const surface::MarsOptions degree4 = {.degree = 4};
  line("lsp fit", seconds([&] { (void)surface::fit_shepard(data.at, data.value); }, 20), 2,
       "all distances sorted", sorted);
  line("mars fit, degree 4", seconds([&] { (void)surface::Mars::fit(data.at, data.value, degree4); }, 20), 5,
       "one step by least squares", stepped);
  line("delaunay build", seconds([&] { (void)surface::fit_delaunay(data.at, data.value); }, 20), 20,
       "all distances sorted", sorted);
  const auto shepard = surface::fit_shepard(data.at, data.value);
  const auto mars = surface::Mars::fit(data.at, data.value, degree4);
  const auto delaunay = surface::fit_delaunay(data.at, data.value);
  const auto predict = [&](const Predictor& model) {
    return seconds([&] { model.predict(queries, false); }, 10);
  };
  line("lsp, 1000 predictions", predict(**shepard), 5, "1000 nearest points", nearest);
  line("mars, 1000 predictions", predict(**mars), 5, "1000 nearest points", nearest);
  // Simplices are made when a query first needs them, so the first series pays for the triangulation; later
  // ones find it remembered.
  const auto from_nothing = [&] { (*surface::fit_delaunay(data.at, data.value))->predict(queries, false); };
  line("delaunay build and first 1000", seconds(from_nothing, 10), 20 + 5, "1000 nearest points", nearest);
  line("delaunay, 1000 predictions", predict(**delaunay), 5, "1000 nearest points", nearest);

  const Eigen::Index n = quick ? 1000 : 10000;
  const Eigen::Index asked = quick ? 50 : 1000;
  weir::Random random(9);
  Eigen::MatrixXd wide(n, 20);
  for (double& value : wide.reshaped()) value = random.uniform();
  Eigen::MatrixXd wide_queries(asked, 20);
  for (double& value : wide_queries.reshaped()) value = random.uniform();
  wide_queries.topRows(asked / 2) =
      0.5 + 0.3 * (wide_queries.topRows(asked / 2).array() - 0.5);  // mostly inside the hull
  const double wide_nearest = seconds([&] { kept += nearest_of_all(wide, wide_queries); }, 1);
  const auto map = surface::fit_delaunay(wide, wide.col(0));
  std::size_t outside = 0;
  const double took = seconds(
      [&] {
        const auto made = (*map)->predict(wide_queries, false);
        outside = static_cast<std::size_t>(std::count(made.outside.begin(), made.outside.end(), true));
      },
      1);
  line(fmt::format("delaunay 20 factors, {} x {}", n, asked).c_str(), took, 60000, "as many nearest points",
       wide_nearest);
  fmt::print("  of these {} lay beyond the hull\n", outside);
  if (!std::isfinite(kept)) fmt::print("?\n");
  return 0;
}
