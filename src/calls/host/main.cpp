// weir-generate-calls OUT NAMES_RELATIVE_TO TABLE...: writes what the build needs from the call tables under
// OUT. Exit 1 and one line per mistake ("calls/posix.calls:12: ...") when a table is wrong; nothing is
// written then.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "calls/host/emit.hpp"
#include "calls/host/parser.hpp"

namespace {

namespace fs = std::filesystem;
using namespace weir::host;

struct OutputFile {
  fs::path path;
  std::string text;
};

bool read_whole(const fs::path& path, std::string& text) {
  std::ifstream in(path, std::ios::binary);
  text.assign(std::istreambuf_iterator<char>(in), {});
  return in.good() || in.eof();
}

// Left alone when it would not change, so that nothing is compiled again for a new comment in a table.
bool write_if_changed(const OutputFile& file) {
  std::string old;
  if (fs::exists(file.path) && read_whole(file.path, old) && old == file.text) return true;
  std::error_code ignored;
  fs::create_directories(file.path.parent_path(), ignored);
  std::ofstream out(file.path, std::ios::binary);
  out << file.text;
  out.close();
  return out.good();
}

std::vector<OutputFile> emit_all(const Catalog& catalog, const fs::path& out, Problems& problems) {
  std::vector<OutputFile> files;
  files.push_back({out / "calls/generated/ids.hpp", emit_ids(catalog)});
  files.push_back({out / "calls/generated/table.hpp", emit_table(catalog)});
  files.push_back({out / "guide/traced_calls.md", emit_guide(catalog)});
  for (const Table& table : *catalog.tables) {
    files.push_back({out / "shims" / (table.name + ".cpp"), emit_shims(catalog, table, problems)});
    files.push_back({out / "shims" / (table.name + ".exports"), emit_exports(catalog, table)});
  }
  return files;
}

int generate(const fs::path& out, const fs::path& root, const std::vector<std::string>& paths) {
  Problems problems;
  std::vector<Table> tables;
  for (const std::string& path : paths) {
    const std::string shown = fs::path(path).lexically_proximate(root).string();
    std::string text;
    if (!fs::is_regular_file(path) || !read_whole(path, text)) {
      fmt::print(stderr, "{}: cannot be read\n", shown);
      return 1;
    }
    tables.push_back(parse_table(shown, text, problems));
  }
  const Catalog catalog = make_catalog(tables, problems);
  const std::vector<OutputFile> files =
      problems.empty() ? emit_all(catalog, out, problems) : std::vector<OutputFile>();
  for (const Problem& problem : problems) fmt::print(stderr, "{}\n", problem.to_string());
  if (!problems.empty()) return 1;
  for (const OutputFile& file : files)
    if (!write_if_changed(file)) {
      fmt::print(stderr, "{}: cannot be written\n", file.path.string());
      return 1;
    }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 3) {
    fmt::print(stderr, "usage: weir-generate-calls OUT NAMES_RELATIVE_TO TABLE...\n");
    return 2;
  }
  return generate(words[0], words[1], {words.begin() + 2, words.end()});
}
