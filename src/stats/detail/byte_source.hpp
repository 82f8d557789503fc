#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace weir::stats::detail {

// A stream of bytes read once, front to back.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  // Puts up to `room` bytes (at least 1) at `into`; 0 means the end.
  virtual Result<std::size_t> read(char* into, std::size_t room) = 0;
};

// A file, or standard input for "-".
Result<std::unique_ptr<ByteSource>> open_bytes(const std::string& path);
// Bytes that outlive the source.
std::unique_ptr<ByteSource> bytes_in_memory(std::string_view bytes);
// Looks at the first bytes, not at a file name: unpacks zstd, and refuses by name what is known not to be
// text (gzip, SQLite, UTF-16, ...).
Result<std::unique_ptr<ByteSource>> as_text(std::unique_ptr<ByteSource> raw);

}  // namespace weir::stats::detail
