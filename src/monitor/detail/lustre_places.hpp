#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "monitor/detail/sources.hpp"

namespace weir::monitor::detail {

// The statistics of Lustre's client and server under /proc or /sys (the place moved between versions).
// `names`: the file systems that matter; empty means all.
void add_lustre(const std::filesystem::path& root, const std::vector<std::string>& names, Sources& sources);

// "scratch" of "mgs1@o2ib:mgs2@o2ib:/scratch/project".
std::string lustre_name(std::string_view mount_source);

}  // namespace weir::monitor::detail
