#include "base/terminal.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <sys/ioctl.h>
#include <unistd.h>

namespace weir {
namespace {

struct Glyph {
  std::size_t length;  // bytes
  std::size_t width;   // columns
};

bool between(std::uint32_t code, std::uint32_t first, std::uint32_t last) {
  return first <= code && code <= last;
}

// East Asian wide and emoji blocks, and the combining marks that occur in names. wcwidth() would depend
// on the locale the user has set, and Weir's tables must not.
std::size_t columns(std::uint32_t code) {
  if (between(code, 0x300, 0x36f) || between(code, 0x200b, 0x200f) || between(code, 0x20d0, 0x20ff) ||
      between(code, 0xfe00, 0xfe0f))
    return 0;
  const bool wide =
      between(code, 0x1100, 0x115f) || between(code, 0x2e80, 0x303e) || between(code, 0x3041, 0xa4cf) ||
      between(code, 0xac00, 0xd7a3) || between(code, 0xf900, 0xfaff) || between(code, 0xfe30, 0xfe6f) ||
      between(code, 0xff00, 0xff60) || between(code, 0xffe0, 0xffe6) || between(code, 0x1f300, 0x1f64f) ||
      between(code, 0x1f900, 0x1f9ff) || between(code, 0x20000, 0x3fffd);
  return wide ? 2 : 1;
}

Glyph first_glyph(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80       ? 1
                             : lead >> 5 == 6  ? 2
                             : lead >> 4 == 14 ? 3
                             : lead >> 3 == 30 ? 4
                                               : 0;
  if (length == 0 || length > text.size()) return {1, 1};
  if (length == 1) return {1, 1};
  std::uint32_t code = lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if (next >> 6 != 2) return {1, 1};
    code = code << 6 | (next & 0x3fu);
  }
  return {length, columns(code)};
}

}  // namespace

bool is_terminal(int fd) {
  const char* term = std::getenv("TERM");
  return ::isatty(fd) == 1 && term != nullptr && std::strcmp(term, "dumb") != 0;
}

std::size_t terminal_width(int fd, std::size_t otherwise) {
  if (const char* text = std::getenv("COLUMNS"); text != nullptr) {
    std::size_t width = 0;
    const auto [end, failed] = std::from_chars(text, text + std::strlen(text), width);
    if (failed == std::errc{} && *end == '\0' && width > 0) return width;
  }
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return otherwise;
}

bool use_colour(int fd) { return is_terminal(fd) && std::getenv("NO_COLOR") == nullptr; }

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    width += glyph.width;
    text.remove_prefix(glyph.length);
  }
  return width;
}

std::string shorten(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t used = 0, bytes = 0;
  while (bytes < text.size()) {
    const Glyph glyph = first_glyph(text.substr(bytes));
    if (used + glyph.width > width - 1) break;
    used += glyph.width;
    bytes += glyph.length;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string lines;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t wide = display_width(word);
    if (used == 0) {
      lines.append(indent, ' ');
      used = indent;
    } else if (used + 1 + wide > width) {
      lines += '\n';
      lines.append(indent, ' ');
      used = indent;
    } else {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += wide;
  }
  return lines;
}

}  // namespace weir
