#pragma once

#include <cstdio>
#include <cstdlib>
#include <cwchar>

// Wide characters on streams of ours. The C library has none on streams with functions of a program's under
// them: these turn them to and from bytes by the locale, one after the other.
namespace weir::burst::preload::wide {

// A stream of ours that this call makes a wide one; false for all others.
bool claim(FILE* stream);

// Each as the function of its name; WEOF, null or -1 and errno.
wint_t get(FILE* stream);
wint_t put(wchar_t character, FILE* stream);
wint_t put_back(wint_t character, FILE* stream);
wchar_t* get_line(wchar_t* line, int room, FILE* stream);
int put_text(const wchar_t* text, std::size_t length, FILE* stream);
int orientation(FILE* stream, int mode);  // fwide

// Formats into memory first: print(stream) prints to a stream of the C library's.
template <class Print>
int print(FILE* stream, const Print& print_to) {
  wchar_t* text = nullptr;
  std::size_t length = 0;
  FILE* const memory = ::open_wmemstream(&text, &length);
  if (memory == nullptr) return -1;
  const int printed = print_to(memory);
  const bool whole = ::fclose(memory) == 0;
  const bool done = printed >= 0 && whole && put_text(text, length, stream) >= 0;
  std::free(text);
  return done ? printed : -1;
}

// What a scan reads from: a stream of the C library's with what follows in the file. `finish` puts the file
// to where the scan ended.
class Scan {
 public:
  explicit Scan(FILE* stream) : stream_(stream) {}
  // With so many bytes of the file at the most; null and errno.
  FILE* begin(std::size_t most);
  // Whether the scan came to the end of what it was given, and the file has more.
  bool needs_more() const;
  void finish();

 private:
  FILE* stream_;
  FILE* copy_ = nullptr;
  std::size_t bytes_ = 0;
  bool is_all_ = false;
};

// `scan_from(stream)` scans a stream of the C library's; it may be called several times.
template <class ScanFrom>
int scan(FILE* stream, const ScanFrom& scan_from) {
  Scan scan(stream);
  for (std::size_t most = 4096;; most *= 16) {
    FILE* const copy = scan.begin(most);
    if (copy == nullptr) return EOF;
    const int found = scan_from(copy);
    if (scan.needs_more()) continue;
    scan.finish();
    return found;
  }
}

}  // namespace weir::burst::preload::wide
