#include "intercept/unchecked.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace weir {
namespace {

// Bytes that could be read; never faults.
std::size_t peek(const void* from, void* to, std::size_t bytes) {
  const iovec local{to, bytes};
  const iovec remote{const_cast<void*>(from), bytes};
  const long got = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &local, 1UL, &remote, 1UL, 0UL);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

}  // namespace

std::string_view copied(const char* text, char* scratch, std::size_t room) {
  std::size_t length = 0;
  constexpr std::uintptr_t page = 4096;
  while (length < room) {
    const char* const from = text + length;
    const std::size_t to_page = page - reinterpret_cast<std::uintptr_t>(from) % page;
    const std::size_t got = peek(from, scratch + length, std::min(room - length, to_page));
    if (got == 0) break;
    const std::size_t found = strnlen(scratch + length, got);
    length += found;
    if (found < got) break;
  }
  return {scratch, length};
}

std::string_view joined(char* const* texts, char* scratch, std::size_t room) {
  std::size_t length = 0;
  for (std::size_t i = 0; length + 1 < room; ++i) {
    const char* text = nullptr;
    if (peek(texts + i, &text, sizeof text) != sizeof text || text == nullptr) break;
    length += copied(text, scratch + length, room - length - 1).size();
    scratch[length++] = '\0';
  }
  return {scratch, length};
}

bool readable(const void* from, std::size_t bytes) {
  char scratch[256];
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const std::size_t step = std::min(bytes, sizeof scratch);
    if (peek(at, scratch, step) != step) return false;
    at += step;
    bytes -= step;
  }
  return true;
}

bool readable_text(const char* text) {
  char scratch[256];
  constexpr std::uintptr_t page = 4096;
  for (;;) {
    const std::size_t to_page = page - reinterpret_cast<std::uintptr_t>(text) % page;
    const std::size_t got = peek(text, scratch, std::min(sizeof scratch, to_page));
    if (got == 0) return false;
    if (strnlen(scratch, got) < got) return true;
    text += got;
  }
}

}  // namespace weir
