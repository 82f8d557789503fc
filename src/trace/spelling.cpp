#include "trace/spelling.hpp"

#include <array>
#include <cstring>
#include <span>

#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/utf8.hpp"

namespace weir::trace {
namespace {

struct Word {
  std::int64_t value;
  std::string_view name;
};

#define WEIR_WORD(name) \
  Word { name, #name }

// Bits that contain others come first: O_SYNC holds O_DSYNC, O_TMPFILE holds O_DIRECTORY.
constexpr std::array kOpenFlags = {
    WEIR_WORD(O_TMPFILE),         WEIR_WORD(O_SYNC),    WEIR_WORD(O_CREAT),   WEIR_WORD(O_EXCL),
    WEIR_WORD(O_NOCTTY),          WEIR_WORD(O_TRUNC),   WEIR_WORD(O_APPEND),  WEIR_WORD(O_NONBLOCK),
    WEIR_WORD(O_DSYNC),           WEIR_WORD(O_ASYNC),   WEIR_WORD(O_DIRECT),  WEIR_WORD(O_DIRECTORY),
    WEIR_WORD(O_NOFOLLOW),        WEIR_WORD(O_NOATIME), WEIR_WORD(O_CLOEXEC), WEIR_WORD(O_PATH),
    Word{0100000, "O_LARGEFILE"},  // 0 in the headers of 64-bit systems; 32-bit programs pass it
};
constexpr std::array kWhence = {WEIR_WORD(SEEK_SET), WEIR_WORD(SEEK_CUR), WEIR_WORD(SEEK_END),
                                WEIR_WORD(SEEK_DATA), WEIR_WORD(SEEK_HOLE)};
constexpr std::array kAtFlags = {WEIR_WORD(AT_SYMLINK_NOFOLLOW),      WEIR_WORD(AT_SYMLINK_FOLLOW),
                                 WEIR_WORD(AT_NO_AUTOMOUNT),          WEIR_WORD(AT_EMPTY_PATH),
                                 Word{0x2000, "AT_STATX_FORCE_SYNC"}, Word{0x4000, "AT_STATX_DONT_SYNC"}};
constexpr std::array kUnlinkFlags = {WEIR_WORD(AT_REMOVEDIR)};
constexpr std::array kFaccessFlags = {WEIR_WORD(AT_EACCESS), WEIR_WORD(AT_SYMLINK_NOFOLLOW),
                                      WEIR_WORD(AT_EMPTY_PATH)};
constexpr std::array kAccess = {WEIR_WORD(R_OK), WEIR_WORD(W_OK), WEIR_WORD(X_OK)};
constexpr std::array kRename = {Word{1, "RENAME_NOREPLACE"}, Word{2, "RENAME_EXCHANGE"},
                                Word{4, "RENAME_WHITEOUT"}};
constexpr std::array kProtection = {WEIR_WORD(PROT_READ), WEIR_WORD(PROT_WRITE), WEIR_WORD(PROT_EXEC)};
constexpr std::array kMap = {Word{3, "MAP_SHARED_VALIDATE"},
                             WEIR_WORD(MAP_SHARED),
                             WEIR_WORD(MAP_PRIVATE),
                             WEIR_WORD(MAP_FIXED),
                             WEIR_WORD(MAP_ANONYMOUS),
                             WEIR_WORD(MAP_DENYWRITE),
                             WEIR_WORD(MAP_LOCKED),
                             WEIR_WORD(MAP_NORESERVE),
                             WEIR_WORD(MAP_POPULATE),
                             WEIR_WORD(MAP_NONBLOCK),
                             WEIR_WORD(MAP_STACK),
                             WEIR_WORD(MAP_HUGETLB),
                             WEIR_WORD(MAP_SYNC)};
constexpr std::array kSync = {WEIR_WORD(MS_ASYNC), WEIR_WORD(MS_INVALIDATE), WEIR_WORD(MS_SYNC)};
constexpr std::array kFallocate = {WEIR_WORD(FALLOC_FL_KEEP_SIZE),      WEIR_WORD(FALLOC_FL_PUNCH_HOLE),
                                   WEIR_WORD(FALLOC_FL_COLLAPSE_RANGE), WEIR_WORD(FALLOC_FL_ZERO_RANGE),
                                   WEIR_WORD(FALLOC_FL_INSERT_RANGE),   WEIR_WORD(FALLOC_FL_UNSHARE_RANGE)};
constexpr std::array kSyncRange = {WEIR_WORD(SYNC_FILE_RANGE_WAIT_BEFORE), WEIR_WORD(SYNC_FILE_RANGE_WRITE),
                                   WEIR_WORD(SYNC_FILE_RANGE_WAIT_AFTER)};
constexpr std::array kReadWrite = {WEIR_WORD(RWF_HIPRI), WEIR_WORD(RWF_DSYNC), WEIR_WORD(RWF_SYNC),
                                   WEIR_WORD(RWF_NOWAIT), WEIR_WORD(RWF_APPEND)};
constexpr std::array kLock = {WEIR_WORD(LOCK_SH), WEIR_WORD(LOCK_EX), WEIR_WORD(LOCK_UN), WEIR_WORD(LOCK_NB)};
constexpr std::array kSplice = {WEIR_WORD(SPLICE_F_MOVE), WEIR_WORD(SPLICE_F_NONBLOCK),
                                WEIR_WORD(SPLICE_F_MORE), WEIR_WORD(SPLICE_F_GIFT)};
constexpr std::array kFcntl = {
    WEIR_WORD(F_DUPFD),      WEIR_WORD(F_GETFD),         WEIR_WORD(F_SETFD),      WEIR_WORD(F_GETFL),
    WEIR_WORD(F_SETFL),      WEIR_WORD(F_GETLK),         WEIR_WORD(F_SETLK),      WEIR_WORD(F_SETLKW),
    WEIR_WORD(F_SETOWN),     WEIR_WORD(F_GETOWN),        WEIR_WORD(F_OFD_GETLK),  WEIR_WORD(F_OFD_SETLK),
    WEIR_WORD(F_OFD_SETLKW), WEIR_WORD(F_DUPFD_CLOEXEC), WEIR_WORD(F_SETPIPE_SZ), WEIR_WORD(F_GETPIPE_SZ),
    WEIR_WORD(F_ADD_SEALS),  WEIR_WORD(F_GET_SEALS),     WEIR_WORD(F_SETLEASE),   WEIR_WORD(F_GETLEASE)};
constexpr std::array kFileAdvice = {WEIR_WORD(POSIX_FADV_NORMAL),     WEIR_WORD(POSIX_FADV_RANDOM),
                                    WEIR_WORD(POSIX_FADV_SEQUENTIAL), WEIR_WORD(POSIX_FADV_WILLNEED),
                                    WEIR_WORD(POSIX_FADV_DONTNEED),   WEIR_WORD(POSIX_FADV_NOREUSE)};
constexpr std::array kMemoryAdvice = {
    WEIR_WORD(MADV_NORMAL),   WEIR_WORD(MADV_RANDOM), WEIR_WORD(MADV_SEQUENTIAL), WEIR_WORD(MADV_WILLNEED),
    WEIR_WORD(MADV_DONTNEED), WEIR_WORD(MADV_FREE),   WEIR_WORD(MADV_HUGEPAGE),   WEIR_WORD(MADV_NOHUGEPAGE)};
constexpr std::array kBuffering = {WEIR_WORD(_IOFBF), WEIR_WORD(_IOLBF), WEIR_WORD(_IONBF)};

#undef WEIR_WORD

enum class Kind : std::uint8_t { bits, word, open_flags, access };

struct Meaning {
  std::string_view call;
  std::string_view argument;
  Kind kind;
  std::span<const Word> words;
};

const std::array kMeanings = {
    Meaning{"open", "flags", Kind::open_flags, {}},
    Meaning{"openat", "flags", Kind::open_flags, {}},
    Meaning{"dup3", "flags", Kind::open_flags, {}},
    Meaning{"pipe2", "flags", Kind::open_flags, {}},
    Meaning{"mkostemp", "flags", Kind::open_flags, {}},
    Meaning{"mkostemps", "flags", Kind::open_flags, {}},
    Meaning{"shm_open", "flags", Kind::open_flags, {}},
    Meaning{"open_by_handle_at", "flags", Kind::open_flags, {}},
    Meaning{"access", "mode", Kind::access, kAccess},
    Meaning{"faccessat", "mode", Kind::access, kAccess},
    Meaning{"euidaccess", "mode", Kind::access, kAccess},
    Meaning{"faccessat", "flags", Kind::bits, kFaccessFlags},
    Meaning{"fstatat", "flags", Kind::bits, kAtFlags},
    Meaning{"statx", "flags", Kind::bits, kAtFlags},
    Meaning{"linkat", "flags", Kind::bits, kAtFlags},
    Meaning{"fchmodat", "flags", Kind::bits, kAtFlags},
    Meaning{"fchownat", "flags", Kind::bits, kAtFlags},
    Meaning{"utimensat", "flags", Kind::bits, kAtFlags},
    Meaning{"execveat", "flags", Kind::bits, kAtFlags},
    Meaning{"name_to_handle_at", "flags", Kind::bits, kAtFlags},
    Meaning{"unlinkat", "flags", Kind::bits, kUnlinkFlags},
    Meaning{"renameat2", "flags", Kind::bits, kRename},
    Meaning{"mmap", "protection", Kind::bits, kProtection},
    Meaning{"mprotect", "protection", Kind::bits, kProtection},
    Meaning{"mmap", "flags", Kind::bits, kMap},
    Meaning{"msync", "flags", Kind::bits, kSync},
    Meaning{"fallocate", "mode", Kind::bits, kFallocate},
    Meaning{"sync_file_range", "flags", Kind::bits, kSyncRange},
    Meaning{"preadv2", "flags", Kind::bits, kReadWrite},
    Meaning{"pwritev2", "flags", Kind::bits, kReadWrite},
    Meaning{"flock", "operation", Kind::bits, kLock},
    Meaning{"splice", "flags", Kind::bits, kSplice},
    Meaning{"tee", "flags", Kind::bits, kSplice},
    Meaning{"vmsplice", "flags", Kind::bits, kSplice},
    Meaning{"fcntl", "command", Kind::word, kFcntl},
    Meaning{"posix_fadvise", "advice", Kind::word, kFileAdvice},
    Meaning{"madvise", "advice", Kind::word, kMemoryAdvice},
    Meaning{"posix_madvise", "advice", Kind::word, kMemoryAdvice},
    Meaning{"setvbuf", "mode", Kind::word, kBuffering},
};

void append(fmt::memory_buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

void append_number(fmt::memory_buffer& out, std::int64_t value) {
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.data() + digits.size());
}

// Names of the bits that are set, then what is left of the value; `any` says whether something stands there.
void append_bits(fmt::memory_buffer& out, std::span<const Word> words, std::uint64_t value, bool any) {
  for (const Word& word : words) {
    const auto bits = static_cast<std::uint64_t>(word.value);
    if (bits == 0 || (value & bits) != bits) continue;
    if (any) out.push_back('|');
    append(out, word.name);
    value &= ~bits;
    any = true;
  }
  if (value != 0) fmt::format_to(fmt::appender(out), "{}{:#x}", any ? "|" : "", value);
  if (value == 0 && !any) out.push_back('0');
}

void append_word(fmt::memory_buffer& out, std::span<const Word> words, std::int64_t value) {
  for (const Word& word : words)
    if (word.value == value) return append(out, word.name);
  append_number(out, value);
}

}  // namespace

void append_error(fmt::memory_buffer& out, std::string_view layer, std::int64_t number) {
  if (layer.starts_with("mpi")) {
    fmt::format_to(fmt::appender(out), "MPI error class {}", number);
    return;
  }
  if (layer == "hdf5") return append(out, "an error");  // what it was is on the library's own stack
  if (layer.ends_with("netcdf")) {
    fmt::format_to(fmt::appender(out), "error {}", number);
    return;
  }
  const char* const name = number > 0 && number < 4096 ? strerrorname_np(static_cast<int>(number)) : nullptr;
  if (name != nullptr)
    append(out, name);
  else
    fmt::format_to(fmt::appender(out), "errno {}", number);
}

void append_open_flags(fmt::memory_buffer& out, std::int64_t flags) {
  constexpr std::array<std::string_view, 4> access = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"};
  append(out, access[static_cast<std::size_t>(flags & O_ACCMODE)]);
  // An int in the program: its upper half is nothing but the sign.
  const std::uint64_t rest = static_cast<std::uint32_t>(flags) & ~std::uint32_t{O_ACCMODE};
  if (rest != 0) append_bits(out, kOpenFlags, rest, true);
}

void append_mode(fmt::memory_buffer& out, std::int64_t mode) {
  fmt::format_to(fmt::appender(out), "0{:03o}", static_cast<std::uint32_t>(mode));
}

void append_whence(fmt::memory_buffer& out, std::int64_t whence) { append_word(out, kWhence, whence); }

bool append_symbol(fmt::memory_buffer& out, std::string_view call, std::string_view argument,
                   std::int64_t value) {
  for (const Meaning& meaning : kMeanings) {
    if (meaning.call != call || meaning.argument != argument) continue;
    switch (meaning.kind) {
      case Kind::bits:
        append_bits(out, meaning.words, static_cast<std::uint32_t>(value), false);
        return true;
      case Kind::word:
        append_word(out, meaning.words, value);
        return true;
      case Kind::open_flags:
        append_open_flags(out, value);
        return true;
      case Kind::access:
        if (value == F_OK)
          append(out, "F_OK");
        else
          append_bits(out, meaning.words, static_cast<std::uint32_t>(value), false);
        return true;
    }
  }
  return false;
}

namespace {

// Takes over what is plain or whole UTF-8, and has the other bytes written by escape(byte).
template <class IsPlain, class Escape>
void append_escaping(fmt::memory_buffer& out, std::string_view text, IsPlain&& is_plain, Escape&& escape) {
  std::size_t plain = 0;  // what is taken over as it is begins here
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    const std::size_t length = is_plain(c) ? 1 : c >= 0x80 ? utf8_length(text.substr(at)) : 0;
    if (length > 0) {
      at += length;
      continue;
    }
    append(out, text.substr(plain, at - plain));
    escape(c);
    plain = ++at;
  }
  append(out, text.substr(plain));
}

}  // namespace

void append_escaped(fmt::memory_buffer& out, std::string_view text) {
  const auto is_plain = [](unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
  append_escaping(out, text, is_plain, [&](unsigned char c) {
    switch (c) {
      case '"':
        return append(out, "\\\"");
      case '\\':
        return append(out, "\\\\");
      case '\n':
        return append(out, "\\n");
      case '\t':
        return append(out, "\\t");
      case '\r':
        return append(out, "\\r");
      default:
        fmt::format_to(fmt::appender(out), "\\x{:02x}", c);
    }
  });
}

void append_quoted(fmt::memory_buffer& out, std::string_view text) {
  out.push_back('"');
  append_escaped(out, text);
  out.push_back('"');
}

void append_json_string(fmt::memory_buffer& out, std::string_view text) {
  const auto is_plain = [](unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; };
  out.push_back('"');
  append_escaping(out, text, is_plain, [&](unsigned char c) {
    if (c >= 0x80)
      append(out, "\\ufffd");
    else if (c == '"' || c == '\\')
      fmt::format_to(fmt::appender(out), "\\{}", static_cast<char>(c));
    else
      fmt::format_to(fmt::appender(out), "\\u{:04x}", c);
  });
  out.push_back('"');
}

}  // namespace weir::trace
