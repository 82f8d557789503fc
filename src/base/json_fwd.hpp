#pragma once

#include <nlohmann/json_fwd.hpp>

namespace weir {

// Keeps the order in which fields were added, so that the same input gives the same bytes.
using Json = nlohmann::ordered_json;

}  // namespace weir
