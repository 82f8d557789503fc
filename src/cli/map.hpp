#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/sample_options.hpp"
#include "surface/map_data.hpp"
#include "surface/model_file.hpp"
#include "surface/noise_floor.hpp"

// What the commands of `weir map` share.
namespace weir::cli {

extern const Command kMapAnova;
extern const Command kMapConverge;
extern const Command kMapFit;
extern const Command kMapPredict;
extern const Command kMapPropose;
extern const Command kMapSlice;
extern const Command kMapValidate;

// Which maps to make of which file.
struct MapOptions {
  SampleOptions input;
  std::vector<std::string> factors;
  std::vector<std::string> split;
  std::vector<std::string> where;
  std::vector<std::string> labels;  // columns of --by
  std::string response;
  std::string from_runs;
  std::string wide;
  std::string statistic = "std";
  std::string scale = "auto";
  std::uint64_t seed = 1;
  unsigned threads = 0;
  bool json = false;
};

// How to fit them.
struct MapMethodOptions {
  std::vector<std::string> methods;
  std::string response_scale = "auto";
  bool interactions = false;
  int degree = 3;
  int terms = 0;
};

void add_map_options(CLI::App& app, MapOptions& options);
void add_method_options(CLI::App& app, MapMethodOptions& options, const std::string& which);

// Notes on merged, dropped and skipped input go to stderr.
struct MapInput {
  stats::Samples samples;  // without their groups
  std::vector<surface::MapData> maps;
};
Result<MapInput> read_maps(const MapOptions& options);
// The rows of another file in the same terms, to test or predict with: constant factors stay.
Result<MapInput> read_rows(const MapOptions& options, const std::string& file,
                           const std::vector<std::string>& where);

Result<std::vector<surface::Method>> parse_methods(const std::vector<std::string>& names);
Result<surface::ModelOptions> model_options(const MapOptions& map, const MapMethodOptions& options);

// "A=1,B=2" as pairs.
Result<std::vector<stats::KeyPart>> parse_assignments(const std::vector<std::string>& parts);

// "threads=4,file_kb=64": how --at takes a configuration.
std::string assignments(const surface::MapData& map, const Eigen::VectorXd& at);

// Fits each map with the one method asked for, a Gaussian process where none is.
Result<surface::ModelFile> fit_maps(MapInput input, const MapOptions& map, const MapMethodOptions& method);

// The configurations of a file's rows, as the factors and splits of a map name them.
Result<std::vector<std::vector<stats::KeyPart>>> read_keys(const MapOptions& options,
                                                           const surface::MapData& map,
                                                           const std::string& file,
                                                           const std::vector<std::string>& where);

// {"source", ..., "response", "factors": [...], "split": [...]} of an answer.
Json map_input_json(const MapInput& input, const MapOptions& options);

}  // namespace weir::cli
