#include "base/mounts.hpp"

#include <algorithm>
#include <sstream>

#include "base/file.hpp"

namespace weir {
namespace {

// The kernel writes blanks, line ends and backslashes of names as three octal digits.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool octal =
        text[i] == '\\' && i + 3 < text.size() &&
        std::ranges::all_of(text.substr(i + 1, 3), [](char c) { return c >= '0' && c <= '7'; });
    if (!octal) {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return plain;
}

// Whether `path` is `point` or below it.
bool covers(const std::filesystem::path& point, const std::filesystem::path& path) {
  const auto [left, _] = std::mismatch(point.begin(), point.end(), path.begin(), path.end());
  return left == point.end();
}

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view text) {
  std::vector<Mount> mounts;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string skip, root, source, options;
    Mount mount;
    words >> skip >> skip >> mount.device >> root >> mount.point_as_written >> mount.mount_options;
    for (std::string word; words >> word && word != "-";) continue;
    words >> mount.type >> source >> options;
    mount.root = unescaped(root);
    mount.point = unescaped(mount.point_as_written);
    mount.source = unescaped(source);
    mount.options = unescaped(options);
    if (!mount.type.empty() && mount.point.is_absolute()) mounts.push_back(std::move(mount));
  }
  return mounts;
}

std::vector<Mount> read_mounts(const std::filesystem::path& root) {
  return parse_mountinfo(read_text(root / "proc/self/mountinfo", 1 << 24).value_or(""));
}

const Mount* mount_of(const std::vector<Mount>& mounts, const std::filesystem::path& path) {
  const Mount* found = nullptr;
  for (const Mount& mount : mounts) {
    if (!covers(mount.point, path)) continue;
    // A later mount on the same point hides the earlier one.
    if (found == nullptr || covers(found->point, mount.point)) found = &mount;
  }
  return found;
}

}  // namespace weir
