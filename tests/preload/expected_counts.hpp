#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "counting_handler.hpp"

namespace weir {

// One of the words after "// counts:" in a program's source: "write=41", "read>=40", "depth=1",
// "processes>=2".
struct ExpectedCount {
  std::string what;
  bool at_least = false;
  std::uint64_t value = 0;
};

std::vector<std::string> all_programs(const std::filesystem::path& sources);
std::optional<std::filesystem::path> find_source(const std::filesystem::path& sources,
                                                 const std::string& program);

Result<std::vector<ExpectedCount>> read_expected(const std::filesystem::path& source);

// Calls of the C library's tables that no program in `sources` counts on.
std::vector<std::string> never_expected(const std::filesystem::path& sources);

// The words after "# needs:", tools a script can not do without.
std::vector<std::string> read_needs(const std::filesystem::path& source);

// A line per expectation that was not met; empty when all were.
std::string unmet(const std::vector<ExpectedCount>& expected, const CallCounts& counts);

// The counts as the preloaded processes left them in their file.
void load(std::string_view bytes, CallCounts& counts);

}  // namespace weir
