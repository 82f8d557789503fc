#include "stats/detail/byte_source.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/file.hpp"
#include "base/interrupt.hpp"

namespace weir::stats::detail {
namespace {

class FileBytes final : public ByteSource {
 public:
  FileBytes(int fd, bool owned) : fd_(fd), owned_(owned) {}
  ~FileBytes() override {
    if (owned_) ::close(fd_);
  }
  Result<std::size_t> read(char* into, std::size_t room) override {
    for (;;) {
      if (auto asked = check_interrupt(); !asked) return asked.error();
      const ssize_t got = ::read(fd_, into, room);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return Error::from_errno(errno, "cannot read");
    }
  }

 private:
  int fd_;
  bool owned_;
};

class MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view bytes) : rest_(bytes) {}
  Result<std::size_t> read(char* into, std::size_t room) override {
    const std::size_t count = std::min(room, rest_.size());
    if (count > 0) std::memcpy(into, rest_.data(), count);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

// Bytes already taken from a source to look at them, then the source.
class PeekedBytes final : public ByteSource {
 public:
  PeekedBytes(std::string head, std::unique_ptr<ByteSource> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}
  Result<std::size_t> read(char* into, std::size_t room) override {
    if (used_ == head_.size()) return rest_->read(into, room);
    const std::size_t count = std::min(room, head_.size() - used_);
    std::memcpy(into, head_.data() + used_, count);
    used_ += count;
    return count;
  }

 private:
  std::string head_;
  std::size_t used_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

class ZstdBytes final : public ByteSource {
 public:
  explicit ZstdBytes(std::unique_ptr<ByteSource> packed)
      : packed_(std::move(packed)),
        context_(ZSTD_createDCtx(), ZSTD_freeDCtx),
        buffer_(ZSTD_DStreamInSize()) {}

  Result<std::size_t> read(char* into, std::size_t room) override {
    if (!context_) return Error{Errc::lacking, "no memory for zstd"};
    ZSTD_outBuffer out{into, room, 0};
    while (out.pos == 0) {
      if (input_.pos == input_.size && !held_back_) {
        const auto got = packed_->read(buffer_.data(), buffer_.size());
        if (!got) return got.error();
        if (*got == 0) {
          if (frame_open_) return Error{Errc::bad_data, "truncated: the zstd frame has no end"};
          return std::size_t{0};
        }
        input_ = {buffer_.data(), *got, 0};
      }
      const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &input_);
      if (ZSTD_isError(left) != 0)
        return Error{Errc::bad_data, fmt::format("damaged zstd data: {}", ZSTD_getErrorName(left))};
      frame_open_ = left != 0;
      held_back_ = out.pos == out.size;  // the decoder may hold more than it had room for
    }
    return out.pos;
  }

 private:
  std::unique_ptr<ByteSource> packed_;
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_;
  std::vector<char> buffer_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  bool frame_open_ = false;
  bool held_back_ = false;
};

struct Magic {
  std::string_view bytes;
  std::string_view what;
};
using namespace std::string_view_literals;
constexpr std::array kNotText{
    Magic{"\x1f\x8b"sv, "gzip-compressed; unpack it with gunzip, or pack it with zstd"},
    Magic{"\xfd"
          "7zXZ"sv,
          "xz-compressed; unpack it with unxz, or pack it with zstd"},
    Magic{"BZh"sv, "bzip2-compressed; unpack it with bunzip2, or pack it with zstd"},
    Magic{"PK\x03\x04"sv, "a zip archive or spreadsheet; save it as CSV"},
    Magic{"SQLite format 3"sv, "an SQLite database, not text"},
    Magic{"\x89HDF"sv, "an HDF5 file, not text"},
    Magic{"\x7f"
          "ELF"sv,
          "a program, not text"},
    Magic{"\xff\xfe"sv, "UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8"},
    Magic{"\xfe\xff"sv, "UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8"},
};
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd"sv;
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf"sv;
constexpr std::size_t kPeek = 16;

struct Peeked {
  std::string head;
  std::unique_ptr<ByteSource> source;  // with the head still in front
};

Result<Peeked> peek(std::unique_ptr<ByteSource> source) {
  std::array<char, kPeek> bytes;
  std::size_t count = 0;
  while (count < bytes.size()) {
    const auto got = source->read(bytes.data() + count, bytes.size() - count);
    if (!got) return got.error();
    if (*got == 0) break;
    count += *got;
  }
  std::string head(bytes.data(), count);
  auto whole = std::make_unique<PeekedBytes>(head.substr(head.starts_with(kUtf8Mark) ? kUtf8Mark.size() : 0),
                                             std::move(source));
  return Peeked{std::move(head), std::move(whole)};
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_bytes(const std::string& path) {
  if (path == "-") return std::make_unique<FileBytes>(STDIN_FILENO, false);
  auto fd = open_file(path, O_RDONLY);
  if (!fd) return fd.error();
  struct stat facts {};
  if (::fstat(fd->get(), &facts) == 0 && S_ISDIR(facts.st_mode))
    return Error{Errc::unreadable, "is a directory, not a file of measurements"}.in(path);
  auto file = std::make_unique<FileBytes>(fd->release(), true);
  return std::unique_ptr<ByteSource>(std::move(file));
}

std::unique_ptr<ByteSource> bytes_in_memory(std::string_view bytes) {
  return std::make_unique<MemoryBytes>(bytes);
}

Result<std::unique_ptr<ByteSource>> as_text(std::unique_ptr<ByteSource> raw) {
  auto start = peek(std::move(raw));
  if (!start) return start.error();
  if (start->head.starts_with(kZstdMagic)) {
    start = peek(std::make_unique<ZstdBytes>(std::move(start->source)));
    if (!start) return start.error();
  }
  for (const Magic& magic : kNotText)
    if (start->head.starts_with(magic.bytes)) return Error{Errc::bad_data, fmt::format("is {}", magic.what)};
  return std::move(start->source);
}

}  // namespace weir::stats::detail
