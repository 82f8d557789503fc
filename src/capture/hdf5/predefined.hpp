#pragma once

#include <cstdint>

namespace weir::capture {

// What programs call a datatype, a class of property lists or a list of them that HDF5 has by itself; null
// for any other object.
const char* predefined_hdf5_object(std::int64_t object);

}  // namespace weir::capture
