#include "base/rank_launcher.hpp"

#include <algorithm>

namespace weir {

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::vector<std::string> start_ranks(std::vector<std::string> launcher, std::uint64_t count) {
  bool told = false;
  for (std::string& word : launcher)
    if (const auto at = word.find("{}"); at != std::string::npos) {
      word.replace(at, 2, std::to_string(count));
      told = true;
    }
  if (!told) launcher.insert(launcher.end(), {"-n", std::to_string(count)});
  return launcher;
}

}  // namespace weir
