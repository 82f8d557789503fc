#pragma once

#include <span>
#include <string>
#include <string_view>

#include "consistency/model.hpp"

namespace weir::consistency {

// A file system, and what it promises.
struct FileSystem {
  std::string name;   // as --fs takes it
  std::string title;  // as its makers write it
  Model model;        // `model.name` is the built-in model it keeps, whatever it adds or leaves out
  std::string note;   // what differs from that model; empty for nothing
};

// After Wang, Mohror, Snir: the categories of HPC file systems, Table 4.1 of the source, and the file
// systems' own documents.
std::span<const FileSystem> file_systems();
const FileSystem* find_file_system(std::string_view name);  // in any case; null when there is none
std::string list_of_file_systems();

}  // namespace weir::consistency
