#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weir {

// Names in a directory, sorted; none where it is not there or may not be read.
std::vector<std::string> names_in(const std::filesystem::path& folder);
bool readable(const std::filesystem::path& file);

}  // namespace weir
