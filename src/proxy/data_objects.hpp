#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weir::proxy {

// What a name stands for that the recorder writes in place of an object: H5P_DEFAULT, H5T_NATIVE_INT. Its
// library must be loaded. Empty if it is none of them.
std::optional<std::int64_t> data_object(std::string_view name);

}  // namespace weir::proxy
