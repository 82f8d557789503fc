#pragma once

#include "capture/untyped/library.hpp"

namespace weir::capture {

ObjectLibrary& hdf5_library();

}  // namespace weir::capture
