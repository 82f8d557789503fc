#pragma once

#include "capture/untyped/library.hpp"

namespace weir::capture {

ObjectLibrary& netcdf_library();
ObjectLibrary& pnetcdf_library();

}  // namespace weir::capture
