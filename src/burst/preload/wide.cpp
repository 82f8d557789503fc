#include "burst/preload/wide.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

#include <sys/mman.h>
#include <unistd.h>

#include "burst/preload/mount.hpp"
#include "burst/preload/own_work.hpp"
#include "burst/preload/streams.hpp"
#include "burst/preload/table.hpp"
#include "intercept/real.hpp"

namespace weir::burst::preload::wide {
namespace {

constexpr int kFailed = 0x20;  // of a stream's flags: what ferror() tells

wint_t fail(FILE* stream, int error) {
  stream->_flags |= kFailed;
  errno = error;
  return WEOF;
}

}  // namespace

bool claim(FILE* stream) {
  return stream != nullptr && Mount::current().is_on() && Table::has(stream->_fileno) &&
         Streams::current().orient(stream, 1) != 0;
}

int orientation(FILE* stream, int mode) { return Streams::current().orient(stream, mode); }

wint_t get(FILE* stream) {
  mbstate_t state{};
  wchar_t character = 0;
  for (bool first = true;; first = false) {
    const int byte = ::fgetc(stream);
    if (byte == EOF) return first || ::ferror(stream) != 0 ? WEOF : fail(stream, EILSEQ);
    const auto one = static_cast<char>(byte);
    const std::size_t used = std::mbrtowc(&character, &one, 1, &state);
    if (used == static_cast<std::size_t>(-2)) continue;
    return used == static_cast<std::size_t>(-1) ? fail(stream, EILSEQ) : static_cast<wint_t>(character);
  }
}

wint_t put(wchar_t character, FILE* stream) {
  char bytes[MB_LEN_MAX];
  mbstate_t state{};
  const std::size_t length = std::wcrtomb(bytes, character, &state);
  if (length == static_cast<std::size_t>(-1)) return fail(stream, EILSEQ);
  return ::fwrite(bytes, 1, length, stream) == length ? static_cast<wint_t>(character) : WEOF;
}

wint_t put_back(wint_t character, FILE* stream) {
  if (character == WEOF) return WEOF;
  char bytes[MB_LEN_MAX];
  mbstate_t state{};
  std::size_t length = std::wcrtomb(bytes, static_cast<wchar_t>(character), &state);
  if (length == static_cast<std::size_t>(-1)) return WEOF;
  while (length > 0)
    if (::ungetc(static_cast<unsigned char>(bytes[--length]), stream) == EOF) return WEOF;
  return character;
}

wchar_t* get_line(wchar_t* line, int room, FILE* stream) {
  if (room <= 0) return nullptr;
  int length = 0;
  // An error that was there before does not count.
  const int before = stream->_flags & kFailed;
  stream->_flags &= ~kFailed;
  while (length + 1 < room) {
    const wint_t character = get(stream);
    if (character == WEOF) break;
    line[length++] = static_cast<wchar_t>(character);
    if (character == L'\n') break;
  }
  const bool failed = ::ferror(stream) != 0 && errno != EAGAIN;
  stream->_flags |= before;
  if ((length == 0 && room > 1) || failed) return nullptr;
  line[length] = L'\0';
  return line;
}

int put_text(const wchar_t* text, std::size_t length, FILE* stream) {
  for (std::size_t i = 0; i < length; ++i)
    if (put(text[i], stream) == WEOF) return -1;
  return 1;
}

FILE* Scan::begin(std::size_t most) {
  if (copy_ != nullptr) {  // not enough: from the start again
    ::fclose(copy_);
    copy_ = nullptr;
    ::fseeko(stream_, -static_cast<off_t>(bytes_), SEEK_CUR);
  }
  const std::unique_ptr<char[]> text(new char[most]);
  bytes_ = ::fread(text.get(), 1, most, stream_);
  is_all_ = bytes_ < most;
  const int memory = ::memfd_create("weir-scan", MFD_CLOEXEC);
  if (memory < 0) return nullptr;
  if (::write(memory, text.get(), bytes_) != static_cast<ssize_t>(bytes_) ||
      ::lseek(memory, 0, SEEK_SET) != 0 || (copy_ = ::fdopen(memory, "r")) == nullptr) {
    ::close(memory);
    return nullptr;
  }
  return copy_;
}

bool Scan::needs_more() const { return !is_all_ && ::feof(copy_) != 0; }

void Scan::finish() {
  const off_t used = ::ftello(copy_);
  const bool ended = ::feof(copy_) != 0;
  ::fclose(copy_);
  copy_ = nullptr;
  // Going to a place clears the end; what the scan did not need was never read as far as the program knows.
  if (used >= 0 && static_cast<std::size_t>(used) < bytes_)
    ::fseeko(stream_, used - static_cast<off_t>(bytes_), SEEK_CUR);
  else if (!ended)
    ::clearerr(stream_);
}

}  // namespace weir::burst::preload::wide

// Not in the tables: it moves no data.
extern "C" [[gnu::visibility("default")]] int fwide(FILE* stream, int mode) noexcept {
  using namespace weir::burst::preload;
  static const auto real = reinterpret_cast<int (*)(FILE*, int)>(weir::search_real("fwide"));
  {
    const OwnWork work;
    FILE* const meant = Streams::in_place_of(stream);
    if (Mount::current().is_on() && Table::has(meant->_fileno) && Streams::current().has(meant))
      return wide::orientation(meant, mode);
  }
  return real(stream, mode);
}
