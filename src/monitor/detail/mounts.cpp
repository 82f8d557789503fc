#include "monitor/detail/mounts.hpp"

#include <algorithm>

#include "monitor/detail/text.hpp"

namespace weir::monitor::detail {
namespace {

// The kernel writes blanks, line ends and backslashes of names as three octal digits.
std::string unescaped(std::string_view text) {
  std::string plain;
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) &&
        octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// Whether `path` is `point` or below it.
bool covers(const std::filesystem::path& point, const std::filesystem::path& path) {
  const auto [left, _] = std::mismatch(point.begin(), point.end(), path.begin(), path.end());
  return left == point.end();
}

template <class Use>
void for_each_option(std::string_view options, const Use& use) {
  while (!options.empty()) {
    const std::string_view word = options.substr(0, options.find(','));
    options.remove_prefix(std::min(word.size() + 1, options.size()));
    use(word);
  }
}

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view text) {
  std::vector<Mount> mounts;
  for (std::string_view line; next_line(text, line);) {
    next_word(line), next_word(line);  // ids of the mount and its parent
    Mount mount;
    mount.device = next_word(line);
    mount.root = unescaped(next_word(line));
    mount.point_as_written = next_word(line);
    mount.point = unescaped(mount.point_as_written);
    for (std::string_view word; (word = next_word(line)) != "-" && !word.empty();) continue;
    mount.type = next_word(line);
    mount.source = unescaped(next_word(line));
    mount.options = unescaped(next_word(line));
    if (!mount.type.empty() && mount.point.is_absolute()) mounts.push_back(std::move(mount));
  }
  return mounts;
}

const Mount* mount_of(const std::vector<Mount>& mounts, const std::filesystem::path& directory) {
  const Mount* found = nullptr;
  for (const Mount& mount : mounts) {
    if (!covers(mount.point, directory)) continue;
    // A later mount on the same point hides the earlier one.
    if (found == nullptr || covers(found->point, mount.point)) found = &mount;
  }
  return found;
}

std::string_view option(std::string_view options, std::string_view key) {
  std::string_view found;
  for_each_option(options, [&](std::string_view word) {
    if (word.size() > key.size() && word.starts_with(key) && word[key.size()] == '=')
      found = word.substr(key.size() + 1);
  });
  return found;
}

bool has_option(std::string_view options, std::string_view wanted) {
  bool found = false;
  for_each_option(options, [&](std::string_view word) { found = found || word == wanted; });
  return found;
}

}  // namespace weir::monitor::detail
