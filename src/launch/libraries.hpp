#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::launch {

// Directories the loader searches, in its order: LD_LIBRARY_PATH, /etc/ld.so.conf with its includes, and
// the built-in ones. All but the first below `root`.
std::vector<std::filesystem::path> library_folders(const std::filesystem::path& root);

// Shared libraries whose file name is `stem` + ".so." + a number, such as libmpi.so.40, each found once.
std::vector<std::filesystem::path> find_libraries(const std::filesystem::path& root, std::string_view stem);

// The loader that a program asks for; empty for a script, and for one that is statically linked.
std::string loader_of(const std::filesystem::path& program);

// The word that follows `mark` in a binary, such as a version after "HDF5 Version:".
std::optional<std::string> text_in_binary(const std::filesystem::path& binary, std::string_view mark);

}  // namespace weir::launch
