#include "base/folders.hpp"

#include <algorithm>
#include <system_error>

#include <unistd.h>

namespace weir {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (auto entry = fs::directory_iterator(folder, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed))
    names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  return names;
}

bool readable(const fs::path& file) { return ::access(file.c_str(), R_OK) == 0; }

}  // namespace weir
