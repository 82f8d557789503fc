#include "trace/detail/dictionary.hpp"

#include <charconv>
#include <string_view>
#include <vector>

namespace weir::trace::detail {
namespace {

// Lines of words between tabs. A layer by itself begins its functions: each has its name, result type, role
// of the result and flags, then name, type, role and direction of its arguments. Lines behind "texts" are
// texts, those behind "bytes" are there as they are.
constexpr std::string_view kPieces[] = {
#include "trace/detail/dictionary_version3.inc"
};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// As the table of functions has it.
void put_function(ByteWriter& out, std::string_view layer, const std::vector<std::string_view>& words) {
  constexpr std::size_t kBefore = 4;
  for (const std::string_view text : {words[0], words[0], layer, words[1], words[2]}) out.string(text);
  unsigned flags = 0;
  std::from_chars(words[3].data(), words[3].data() + words[3].size(), flags);
  out.u8(static_cast<std::uint8_t>(flags));
  out.varint((words.size() - kBefore) / 4);
  for (std::size_t i = kBefore; i < words.size(); ++i) out.string(words[i]);
}

std::vector<std::byte> made() {
  ByteWriter out;
  std::string_view layer;
  for (const std::string_view piece : kPieces)
    for (const std::string_view line : split(piece, '\n')) {
      if (line.empty()) continue;
      const std::vector<std::string_view> words = split(line, '\t');
      if (words.size() >= 4)
        put_function(out, layer, words);
      else if (words.size() == 2 && words[0] == "layer")
        layer = words[1];
      else if (words.size() == 2 && words[0] == "text")
        out.string(words[1]);
      else
        out.bytes(as_bytes(line));
    }
  return std::move(out).take();
}

}  // namespace

ByteSpan dictionary() {
  static const std::vector<std::byte> bytes = made();
  return bytes;
}

}  // namespace weir::trace::detail
