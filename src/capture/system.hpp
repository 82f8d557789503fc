#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weir::capture {

// What the recorder asks of the system, by system calls alone: nothing here is intercepted, formats or
// allocates.

char* put_text(char* at, std::string_view text);  // behind what was put
char* put_number(char* at, std::uint64_t number, int base = 10);

// False when not all could be written. With signals blocked: the program's limit on the size of files holds
// for ours too, and its signal, which would end the program, is taken back.
bool write_at(int fd, const void* bytes, std::size_t size, std::uint64_t at);
// Space that is really there: a mapped page without it would end the program with SIGBUS.
bool reserve(int fd, std::size_t bytes);

// The name behind a descriptor, up to 4096 bytes; its length.
std::size_t name_of_descriptor(int descriptor, char* to);
// Takes ".", ".." and doubled slashes out of an absolute name, by letters alone; its new length.
std::size_t normalize(char* name, std::size_t length);

}  // namespace weir::capture
