#include "launch/libraries.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include <elf.h>
#include <glob.h>

#include "base/file.hpp"

namespace weir::launch {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestInclude = 8;

std::vector<fs::path> expand(const fs::path& pattern) {
  glob_t found{};
  std::vector<fs::path> paths;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return paths;
}

void read_loader_config(const fs::path& root, const fs::path& file, int depth,
                        std::vector<fs::path>& folders) {
  const auto text = read_text(file, 1 << 20);
  if (!text || depth > kDeepestInclude) return;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string first, pattern;
    words >> first;
    if (first == "include") {
      while (words >> pattern) {
        const fs::path below = fs::path(pattern).is_absolute() ? root / fs::path(pattern).relative_path()
                                                               : file.parent_path() / pattern;
        for (const fs::path& included : expand(below)) read_loader_config(root, included, depth + 1, folders);
      }
    } else if (first.starts_with('/')) {
      folders.push_back(root / fs::path(first).relative_path());
    }
  }
}

// "libmpi.so.40" for the stem "libmpi"; not "libmpi.so", "libmpi.so.40.30.4" or "libmpi_mpifh.so.40".
bool is_soname(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem)) return false;
  name.remove_prefix(stem.size());
  if (!name.starts_with(".so.")) return false;
  name.remove_prefix(4);
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::vector<fs::path> library_folders(const fs::path& root) {
  std::vector<fs::path> folders;
  if (const char* path = std::getenv("LD_LIBRARY_PATH"); path != nullptr) {
    std::istringstream parts(path);
    for (std::string part; std::getline(parts, part, ':');)
      if (!part.empty()) folders.emplace_back(part);
  }
  read_loader_config(root, root / "etc/ld.so.conf", 0, folders);
  for (const char* standard : {"lib64", "usr/lib64", "lib", "usr/lib"}) folders.push_back(root / standard);
  return folders;
}

std::vector<fs::path> find_libraries(const fs::path& root, std::string_view stem) {
  std::vector<fs::path> found;
  std::set<std::string> names;  // the loader takes the first
  for (const fs::path& folder : library_folders(root)) {
    std::error_code failed;
    for (auto entry = fs::directory_iterator(folder, failed); !failed && entry != fs::directory_iterator();
         entry.increment(failed)) {
      const std::string name = entry->path().filename().string();
      if (is_soname(name, stem) && names.insert(name).second) found.push_back(entry->path());
    }
  }
  std::ranges::sort(found);
  return found;
}

std::string loader_of(const fs::path& program) {
  std::ifstream in(program, std::ios::binary);
  Elf64_Ehdr head{};
  if (!in.read(reinterpret_cast<char*>(&head), sizeof head)) return {};
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return {};
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part{};
    in.clear();
    in.seekg(static_cast<std::streamoff>(head.e_phoff + std::uint64_t{i} * head.e_phentsize));
    if (!in.read(reinterpret_cast<char*>(&part), sizeof part)) return {};
    if (part.p_type != PT_INTERP || part.p_filesz == 0 || part.p_filesz > 4096) continue;
    std::string path(part.p_filesz - 1, '\0');
    in.seekg(static_cast<std::streamoff>(part.p_offset));
    return in.read(path.data(), static_cast<std::streamsize>(path.size())) ? path : std::string();
  }
  return {};
}

std::optional<std::string> text_in_binary(const fs::path& binary, std::string_view mark) {
  const auto bytes = read_text(binary, std::uint64_t{1} << 28);
  if (!bytes) return std::nullopt;
  std::size_t at = bytes->find(mark);
  if (at == std::string::npos) return std::nullopt;
  at += mark.size();
  while (at < bytes->size() && (*bytes)[at] == ' ') ++at;
  std::size_t end = at;
  while (end < bytes->size() && std::isgraph(static_cast<unsigned char>((*bytes)[end])) != 0) ++end;
  if (end == at) return std::nullopt;
  return bytes->substr(at, end - at);
}

}  // namespace weir::launch
