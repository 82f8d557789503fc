#include "base/mounts.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "base/file.hpp"

namespace weir {
namespace {

// mountinfo writes blank, tab, newline and backslash as three octal digits.
std::string unescape(std::string_view text) {
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

bool lies_on(std::string_view path, std::string_view point) {
  if (point == "/") return path.starts_with('/');
  return path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/');
}

}  // namespace

std::vector<Mount> read_mounts(const std::filesystem::path& root) {
  std::vector<Mount> mounts;
  std::istringstream lines(read_text(root / "proc/self/mountinfo", 1 << 24).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string skip, point, source, word;
    Mount mount;
    words >> skip >> skip >> mount.device_number >> skip >> point >> mount.options;
    while (words >> word && word != "-") {
    }
    words >> mount.type >> source;
    if (!words) continue;
    words >> mount.super_options;
    mount.point = unescape(point);
    mount.source = unescape(source);
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

std::optional<Mount> mount_of(const std::vector<Mount>& mounts, const std::filesystem::path& path) {
  const Mount* best = nullptr;
  for (const Mount& mount : mounts)
    if (lies_on(path.native(), mount.point) && (best == nullptr || mount.point.size() >= best->point.size()))
      best = &mount;
  return best == nullptr ? std::nullopt : std::optional(*best);
}

}  // namespace weir
