#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir {

// Whether a person is looking: a terminal that can move its cursor (TERM is not "dumb").
bool is_terminal(int fd);

// Columns of the terminal behind `fd`; COLUMNS where it is set, `otherwise` where there is no terminal.
std::size_t terminal_width(int fd, std::size_t otherwise);

// Whether to colour what goes to `fd`: a terminal, and NO_COLOR is not set.
bool use_colour(int fd);

// Columns a UTF-8 text takes on a terminal: wide characters two, combining ones none, a broken byte one.
std::size_t display_width(std::string_view text);

// The text cut to `width` columns, ending in "…" if anything was cut.
std::string shorten(std::string_view text, std::size_t width);

// Words of `text` in lines of at most `width` columns; words that are longer stand alone.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace weir
