#pragma once

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace weir::trace {

// How people write numbers that stand for something. All append to `out`; what has no name is a number.

// "ENOENT", as strace writes it; the number where it has no name.
// Why a call of that layer failed: ENOENT, or what MPI calls the class of its error.
void append_error(fmt::memory_buffer& out, std::string_view layer, std::int64_t number);
// "O_RDWR|O_CREAT|0x40000000": what open() takes.
void append_open_flags(fmt::memory_buffer& out, std::int64_t flags);
// Permissions, octal: "0644".
void append_mode(fmt::memory_buffer& out, std::int64_t mode);
// "SEEK_SET".
void append_whence(fmt::memory_buffer& out, std::int64_t whence);

// The bits or words that argument `argument` of a call means, by the plain name of the call: "PROT_READ" for
// mmap's protection, "F_GETFL" for fcntl's command. False when nothing is known about it; `out` is unchanged.
bool append_symbol(fmt::memory_buffer& out, std::string_view call, std::string_view argument,
                   std::int64_t value);

// Escaped as in C: what is not printable or not UTF-8 as "\x1b"; and between quotes.
void append_escaped(fmt::memory_buffer& out, std::string_view text);
void append_quoted(fmt::memory_buffer& out, std::string_view text);
// The text between quotes as JSON has it; bytes that are not UTF-8 become U+FFFD.
void append_json_string(fmt::memory_buffer& out, std::string_view text);

}  // namespace weir::trace
