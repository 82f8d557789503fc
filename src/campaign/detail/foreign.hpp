#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "base/result.hpp"
#include "campaign/import.hpp"

namespace weir::campaign::detail {

Result<ForeignResults> parse_fio(const Json& document, const std::string& machine);
Result<ForeignResults> parse_ior(const Json& document, const std::string& machine);

// What stands there, if it is of that kind.
std::optional<double> number_at(const Json& object, const char* key);
std::string text_at(const Json& object, const char* key);
// A text, number or boolean as a level; numbers plainly, "4k" is "4096".
std::optional<std::string> level_text(const Json& value);

}  // namespace weir::campaign::detail
