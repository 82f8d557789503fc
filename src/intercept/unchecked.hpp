#pragma once

#include <cstddef>
#include <string_view>

namespace weir {

// Memory that the program names in a call that has not checked it yet: it may not be there. Nothing here
// faults.

// A string, as far as it can be read.
std::string_view copied(const char* text, char* scratch, std::size_t room);
// The strings of an array that a null pointer ends, one after the other, a zero byte behind each.
std::string_view joined(char* const* texts, char* scratch, std::size_t room);

// Whether so many bytes, or a string up to its end, can be read.
bool readable(const void* from, std::size_t bytes);
bool readable_text(const char* text);

}  // namespace weir
