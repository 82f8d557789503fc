#pragma once

#include <cmath>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json_fwd.hpp"
#include "base/result.hpp"

namespace weir {

// {"schema": "weir.<command>/<version>"}: how every answer for machines begins.
Json json_document(std::string_view command, int version = 1);

// The number, or null where it is not finite: JSON has no other way to say "missing".
inline Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Result<Json> parse_json(std::string_view text);

}  // namespace weir
