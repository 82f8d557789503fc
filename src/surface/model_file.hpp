#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "surface/calibration.hpp"
#include "surface/model.hpp"

namespace weir::surface {

// A fitted map with all that predictions need.
struct SavedMap {
  MapData data;  // of a read file: runs are the 99 quantiles that were kept of them
  Model model;
  Calibration calibration;
};

struct ModelFile {
  std::string source;   // what it was made from
  std::string program;  // version of Weir
  std::vector<SavedMap> maps;
};

// The bytes of docs/formats/map.md: the same for the same content. A reader fits the stored method to the
// stored values with the stored scales and settings, which is quick and gives the same predictions.
std::vector<std::byte> write_model(const ModelFile& file);
Result<ModelFile> parse_model(ByteSpan bytes);

Result<void> save_model(const std::string& path, const ModelFile& file);
Result<ModelFile> load_model(const std::string& path);
// Whether a file begins like one, so that a command can take a model or data.
bool is_model(const std::string& path);

}  // namespace weir::surface
