#include "semantics/detail/file_identity.hpp"

#include <algorithm>

namespace weir::semantics::detail {
namespace {

// A directory was renamed: what is below moves with it.
template <class Named, class Note>
void move_below(std::map<std::string, Named>& map, const std::string& from, const std::string& to,
                const Note& note) {
  const std::string below = from + '/';
  std::vector<typename std::map<std::string, Named>::node_type> moved;
  for (auto it = map.lower_bound(below); it != map.end() && it->first.starts_with(below);) {
    const auto next = std::next(it);
    moved.push_back(map.extract(it));
    it = next;
  }
  for (auto& one : moved) {
    one.key() = to + one.key().substr(from.size());
    note(one.mapped(), one.key());
    map.insert(std::move(one));
  }
}

// What has the name, and what is below it.
template <class Named, class Note>
void move_all(std::map<std::string, Named>& map, const std::string& from, const std::string& to,
              const Note& note) {
  if (auto one = map.extract(from); !one.empty()) {
    one.key() = to;
    note(one.mapped(), to);
    map.insert(std::move(one));
  }
  move_below(map, from, to, note);
}

}  // namespace

// The name with no symbolic link in it; the last part may stay one.
std::string FileIdentity::followed(std::string path, bool last) const {
  constexpr int kMostLinks = 40;  // as Linux
  if (soft_links_.empty()) return path;
  std::size_t end = 0;  // up to here there is no link
  for (int links = 0; links < kMostLinks;) {
    end = path.find('/', end + 1);
    const bool whole = end == std::string::npos;
    if (whole && !last) break;
    const auto found = soft_links_.find(path.substr(0, end));
    if (found != soft_links_.end()) {
      path = found->second + (whole ? std::string() : path.substr(end));
      end = 0;
      ++links;
    } else if (whole) {
      break;
    }
  }
  return path;
}

std::uint32_t FileIdentity::open(const std::string& path) {
  const std::string name = followed(path, true);
  const auto [found, fresh] = files_.emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (fresh) names_.push_back({name});
  return found->second;
}

std::uint32_t FileIdentity::open_unnamed(const std::string& directory) {
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.push_back({followed(directory, true) + "/#" + std::to_string(number)});
  return number;
}

void FileIdentity::note_name(std::uint32_t file, const std::string& name) {
  auto& names = names_[file];
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

bool FileIdentity::known(const std::string& path) const { return files_.contains(followed(path, true)); }

void FileIdentity::rename(const std::string& old_name, const std::string& new_name) {
  const std::string from = followed(old_name, false);
  const std::string to = followed(new_name, false);
  if (from == to) return;
  soft_links_.erase(to);
  if (auto link = soft_links_.extract(from); !link.empty()) {
    link.key() = to;
    soft_links_.insert(std::move(link));
    return;
  }
  files_.erase(to);
  if (auto file = files_.extract(from); !file.empty()) {
    file.key() = to;
    note_name(file.mapped(), to);
    files_.insert(std::move(file));
  } else {
    open(to);  // not seen before: from here on it is the file called `to`
  }
  move_below(files_, from, to,
             [this](std::uint32_t file, const std::string& name) { note_name(file, name); });
  move_below(soft_links_, from, to, [](const std::string&, const std::string&) {});
}

void FileIdentity::exchange(const std::string& one, const std::string& other) {
  const std::string first = followed(one, false);
  const std::string second = followed(other, false);
  if (first == second) return;
  const std::string aside(1, '\0');  // which no name has
  const auto silently = [](const auto&, const std::string&) {};
  const auto noted = [this](std::uint32_t file, const std::string& name) { note_name(file, name); };
  move_all(files_, first, aside, silently);
  move_all(files_, second, first, noted);
  move_all(files_, aside, second, noted);
  move_all(soft_links_, first, aside, silently);
  move_all(soft_links_, second, first, silently);
  move_all(soft_links_, aside, second, silently);
}

void FileIdentity::link(const std::string& from, const std::string& to) {
  const std::string name = followed(to, false);
  const std::uint32_t file = open(from);
  files_[name] = file;
  note_name(file, name);
}

void FileIdentity::soft_link(const std::string& path, const std::string& target) {
  soft_links_[followed(path, false)] = target;
}

void FileIdentity::remove(const std::string& path) {
  const std::string name = followed(path, false);
  if (soft_links_.erase(name) == 0) files_.erase(name);
}

}  // namespace weir::semantics::detail
