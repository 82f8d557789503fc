#pragma once

#include <string_view>

namespace weir::proxy {

// The files of proxy/runtime/ as text, without what ties them to this source tree. Made while building.
std::string_view runtime_text();
std::string_view mpi_runtime_text();
std::string_view hdf5_runtime_text();

}  // namespace weir::proxy
