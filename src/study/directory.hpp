#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace weir::study {

// What a traced program wrote, and which names it made.
struct Touched {
  struct File {
    std::string name;  // absolute
    std::uint64_t bytes = 0;
  };
  std::vector<File> written;
  std::set<std::string> names;  // absolute: written, made, renamed, removed
  std::uint64_t processes = 0;
};

Result<Touched> find_touched(const std::filesystem::path& trace);

// Where a program writes.
struct Place {
  std::filesystem::path directory;
  double share = 1;                  // of the written bytes that go there
  std::vector<std::string> outside;  // files that are written elsewhere
};

// The deepest directory that holds nearly all written bytes. Files of the system and below `own` do not
// count, nor do files that are gone after the run while others are there. None where nothing is written.
std::optional<Place> find_place(const std::vector<Touched::File>& written, const std::filesystem::path& own);

// The names below a directory, relative to it.
std::set<std::string> names_below(const std::set<std::string>& names, const std::filesystem::path& directory);

}  // namespace weir::study
