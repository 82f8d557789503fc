#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "interference/detail/side_process.hpp"

namespace weir::interference::detail {

// Runs a pattern in this process, once or until the user stops it, and gives the outcome or the error as text
// for read_outcome(). `before_start` is called before the first lap.
std::string run_pattern(const Side& side, const std::filesystem::path& directory,
                        const std::function<Result<void>()>& before_start);

Result<SideEnd> read_outcome(std::string_view text);

}  // namespace weir::interference::detail
