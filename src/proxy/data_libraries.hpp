#pragma once

#include <map>
#include <string>

#include "base/result.hpp"
#include "proxy/plan.hpp"
#include "proxy/replay_library.hpp"

namespace weir::proxy {

// The calls of HDF5 and NetCDF in a program without MPI.
class DataLibraries : public ReplayLibrary {
 public:
  bool make(weir_proxy::Stream& stream, const trace::Record& record) override;
};

// Whether calls of this layer are made by the program that is replayed and belong to one of those libraries.
bool is_data_layer(std::string_view layer);

// Loads the libraries whose calls the plan has, where they are not there already: `files` has their names by
// layer ("hdf5": "libhdf5_serial.so.103"). An Error of kind `lacking` if one cannot be had.
Result<void> load_data_libraries(const Plan& plan, const std::map<std::string, std::string>& files);

}  // namespace weir::proxy
