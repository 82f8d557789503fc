#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/detail/command.hpp"
#include "monitor/parsers.hpp"
#include "monitor/watch.hpp"

namespace weir::monitor::detail {

// A text that is read every slice.
struct SourceFile {
  Format format = Format::diskstats;
  std::string instance;
  std::vector<std::filesystem::path> paths;  // several: one number each, read as lines "FILE CONTENT"
  std::function<bool(std::string_view instance)> wanted;  // of a text that holds many; empty: all
};

// What there is to read.
struct Sources {
  std::vector<SourceFile> files;
  std::vector<Command> commands;
  std::vector<std::string> absent;
  Storage storage;
};

Sources find_sources(const WatchOptions& options);

}  // namespace weir::monitor::detail
