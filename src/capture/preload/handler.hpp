#pragma once

#include "capture/handler.hpp"

namespace weir {

using Handler = CaptureHandler;

}  // namespace weir
