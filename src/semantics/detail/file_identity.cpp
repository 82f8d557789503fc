#include "semantics/detail/file_identity.hpp"

namespace weir::semantics::detail {

const std::string& FileIdentity::followed(const std::string& path) const {
  constexpr int kMostLinks = 40;  // as Linux
  const std::string* name = &path;
  for (int i = 0; i < kMostLinks; ++i) {
    const auto found = soft_links_.find(*name);
    if (found == soft_links_.end()) break;
    name = &found->second;
  }
  return *name;
}

std::uint32_t FileIdentity::open(const std::string& path) {
  const std::string& name = soft_links_.empty() ? path : followed(path);
  const auto [found, fresh] = files_.emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (fresh) names_.push_back(name);
  return found->second;
}

bool FileIdentity::known(const std::string& path) const { return files_.contains(followed(path)); }

void FileIdentity::rename(const std::string& from, const std::string& to) {
  if (from == to) return;
  if (auto link = soft_links_.extract(from); !link.empty()) {
    link.key() = to;
    soft_links_.erase(to);
    soft_links_.insert(std::move(link));
    return;
  }
  soft_links_.erase(to);
  files_.erase(to);
  if (auto file = files_.extract(from); !file.empty()) {
    file.key() = to;
    files_.insert(std::move(file));
  } else {
    open(to);  // not seen before: from here on it is the file called `to`
  }
  // A directory: what is below moves with it.
  const std::string below = from + '/';
  std::vector<std::map<std::string, std::uint32_t>::node_type> moved;
  for (auto it = files_.lower_bound(below); it != files_.end() && it->first.starts_with(below);) {
    const auto next = std::next(it);
    moved.push_back(files_.extract(it));
    it = next;
  }
  for (auto& one : moved) {
    one.key() = to + one.key().substr(from.size());
    files_.insert(std::move(one));
  }
}

void FileIdentity::link(const std::string& from, const std::string& to) { files_[to] = open(from); }

void FileIdentity::soft_link(const std::string& path, const std::string& target) {
  soft_links_[path] = target;
}

void FileIdentity::remove(const std::string& path) {
  if (soft_links_.erase(path) == 0) files_.erase(path);
}

}  // namespace weir::semantics::detail
