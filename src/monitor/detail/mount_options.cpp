#include "monitor/detail/mount_options.hpp"

#include <algorithm>

namespace weir::monitor::detail {
namespace {

template <class Use>
void for_each_option(std::string_view options, const Use& use) {
  while (!options.empty()) {
    const std::string_view word = options.substr(0, options.find(','));
    options.remove_prefix(std::min(word.size() + 1, options.size()));
    use(word);
  }
}

}  // namespace

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
