#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "base/result.hpp"
#include "stats/sample_file.hpp"
#include "stats/samples.hpp"
#include "surface/factor.hpp"
#include "surface/statistic.hpp"

namespace weir::surface {

// Which rows of the input count: "mode=fread", "freq_khz!=3001000".
struct Condition {
  std::string column;
  std::string value;
  bool equal = true;
};

Result<Condition> parse_condition(std::string_view text);
// Whether a key meets all of them; numbers compare as numbers.
bool kept(const std::vector<stats::KeyPart>& key, const std::vector<Condition>& where);

// What a user wants a map of.
struct MapRequest {
  std::vector<FactorRequest> factors;  // empty: every column that is not split
  std::vector<std::string> split;      // a map for each combination of these columns' values
  std::vector<std::string> labels;     // further columns, kept beside a configuration
  std::vector<Condition> where;
  Statistic statistic;
  // Values are the response itself: repeats of a configuration are averaged, not reduced by the statistic.
  bool response_given = false;
  Scale scale = Scale::automatic;  // of factors that ask for none
  bool keep_constant = false;  // factors with one value stay: rows to test or predict, no map of their own

  // Columns that tell configurations apart, for reading samples; empty without factors.
  std::vector<std::string> key_columns() const;
};

// One variability map: what was measured at n configurations of m factors.
struct MapData {
  std::string response;                   // "std of throughput_kb_s"
  std::vector<Factor> factors;            // those that vary
  std::vector<stats::KeyPart> key;        // of the split; empty where there is one map
  std::vector<stats::KeyPart> fixed;      // factors with one value only: part of no coordinate
  Eigen::MatrixXd at;                     // n x m: values in units; the index of the level for words
  Eigen::VectorXd value;                  // the response, finite
  std::vector<std::vector<double>> runs;  // the values behind each response
  std::vector<std::vector<stats::KeyPart>> labels;  // split, labels and factors, as the input spelled them
  std::vector<std::string> notes;                   // what was merged, dropped or left out
  Statistic statistic;
  bool response_given = false;

  Eigen::Index size() const { return value.size(); }
  std::string name() const;  // "mode=fread io_scheduler=CFQ", or "all"
  // "threads=4 file_size_kb=64" of row i.
  std::string configuration(Eigen::Index i) const;
};

// The maps in samples that were read with key_columns() as groups. Groups that fall together once the columns
// of conditions are taken away are merged as repeats. An Error names what is not there or not enough.
Result<std::vector<MapData>> make_maps(const stats::Samples& samples, const MapRequest& request);

// The rows of a map in the given order.
MapData take_rows(const MapData& map, const std::vector<Eigen::Index>& rows);

// A configuration given as "threads=4,mode=fread", as coordinates of the map. Missing and unknown factors and
// unknown levels are Errors that name them; `fixed` factors may be named with their only value.
Result<Eigen::VectorXd> parse_configuration(const MapData& map, const std::vector<stats::KeyPart>& given);

// Those parts that name a factor of the map, varying or fixed.
std::vector<stats::KeyPart> factors_only(const MapData& map, const std::vector<stats::KeyPart>& parts);

}  // namespace weir::surface
