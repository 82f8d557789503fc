#pragma once

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cwchar>

#include "burst/preload/reply.hpp"
#include "burst/preload/streams.hpp"
#include "burst/preload/wide.hpp"

// Wide characters.
namespace weir::burst::preload {

// The program finds errno as the work left it when that failed.
template <class R, class Real>
R told(const Real& real, R value, R failure) {
  if (value == failure) real.set_errno(errno);
  return value;
}

template <>
struct Reply<Call::fgetwc> {
  static wint_t run(auto real, FILE* stream) {
    FILE* const meant = Streams::in_place_of(stream);
    return wide::claim(meant) ? told(real, wide::get(meant), WEOF) : real(meant);
  }
};
template <>
struct Reply<Call::fputwc> {
  static wint_t run(auto real, wchar_t character, FILE* stream) {
    FILE* const meant = Streams::in_place_of(stream);
    return wide::claim(meant) ? told(real, wide::put(character, meant), WEOF) : real(character, meant);
  }
};
template <>
struct Reply<Call::ungetwc> {
  static wint_t run(auto real, wint_t character, FILE* stream) {
    FILE* const meant = Streams::in_place_of(stream);
    return wide::claim(meant) ? told(real, wide::put_back(character, meant), WEOF) : real(character, meant);
  }
};
template <>
struct Reply<Call::fgetws> {
  static wchar_t* run(auto real, wchar_t* line, int room, FILE* stream) {
    FILE* const meant = Streams::in_place_of(stream);
    return wide::claim(meant) ? told<wchar_t*>(real, wide::get_line(line, room, meant), nullptr)
                              : real(line, room, meant);
  }
};
template <>
struct Reply<Call::__fgetws_chk> {
  static wchar_t* run(auto real, wchar_t* line, std::size_t all, int room, FILE* stream) {
    FILE* const meant = Streams::in_place_of(stream);
    // Where it does not fit, the real one says so and ends the program.
    const bool fits = room >= 0 && static_cast<std::size_t>(room) <= all;
    return fits && wide::claim(meant) ? told<wchar_t*>(real, wide::get_line(line, room, meant), nullptr)
                                      : real(line, all, room, meant);
  }
};
template <>
struct Reply<Call::fputws> {
  static int run(auto real, const wchar_t* text, FILE* stream) {
    FILE* const meant = Streams::in_place_of(stream);
    return wide::claim(meant) ? told(real, wide::put_text(text, std::wcslen(text), meant), -1)
                              : real(text, meant);
  }
};
template <>
struct Reply<Call::getwchar> {
  static wint_t run(auto real) { return wide::claim(stdin) ? told(real, wide::get(stdin), WEOF) : real(); }
};
template <>
struct Reply<Call::putwchar> {
  static wint_t run(auto real, wchar_t character) {
    return wide::claim(stdout) ? told(real, wide::put(character, stdout), WEOF) : real(character);
  }
};

// Those that are given a stream, and those that mean stdout or stdin.
struct WidePrintReply {
  static int run(auto real, FILE* stream, const wchar_t* format, va_list values) {
    FILE* const meant = Streams::in_place_of(stream);
    if (!wide::claim(meant)) return real(meant, format, values);
    return told(real, wide::print(meant, [&](FILE* to) { return real.quietly(to, format, values); }), -1);
  }
  static int run(auto real, FILE* stream, int level, const wchar_t* format, va_list values) {
    FILE* const meant = Streams::in_place_of(stream);
    if (!wide::claim(meant)) return real(meant, level, format, values);
    return told(real, wide::print(meant, [&](FILE* to) { return real.quietly(to, level, format, values); }),
                -1);
  }
  static int run(auto real, const wchar_t* format, va_list values) {
    if (!wide::claim(stdout)) return real(format, values);
    return told(real, wide::print(stdout, [&](FILE* to) { return ::vfwprintf(to, format, values); }), -1);
  }
  static int run(auto real, int level, const wchar_t* format, va_list values) {
    if (!wide::claim(stdout)) return real(level, format, values);
    return told(real, wide::print(stdout, [&](FILE* to) { return ::vfwprintf(to, format, values); }), -1);
  }
};
template <>
struct Reply<Call::fwprintf> : WidePrintReply {};
template <>
struct Reply<Call::vfwprintf> : WidePrintReply {};
template <>
struct Reply<Call::wprintf> : WidePrintReply {};
template <>
struct Reply<Call::vwprintf> : WidePrintReply {};
template <>
struct Reply<Call::__fwprintf_chk> : WidePrintReply {};
template <>
struct Reply<Call::__vfwprintf_chk> : WidePrintReply {};
template <>
struct Reply<Call::__wprintf_chk> : WidePrintReply {};
template <>
struct Reply<Call::__vwprintf_chk> : WidePrintReply {};

struct WideScanReply {
  template <class ScanFrom>
  static int scan(const auto& real, FILE* stream, va_list values, const ScanFrom& scan_from) {
    const auto once = [&](FILE* from) {
      va_list copy;
      va_copy(copy, values);
      const int found = scan_from(from, copy);
      va_end(copy);
      return found;
    };
    return told(real, wide::scan(stream, once), EOF);
  }
  static int run(auto real, FILE* stream, const wchar_t* format, va_list values) {
    FILE* const meant = Streams::in_place_of(stream);
    if (!wide::claim(meant)) return real(meant, format, values);
    return scan(real, meant, values,
                [&](FILE* from, va_list copy) { return real.quietly(from, format, copy); });
  }
  static int run(auto real, const wchar_t* format, va_list values) {
    if (!wide::claim(stdin)) return real(format, values);
    return scan(real, stdin, values,
                [&](FILE* from, va_list copy) { return ::vfwscanf(from, format, copy); });
  }
};
template <>
struct Reply<Call::fwscanf> : WideScanReply {};
template <>
struct Reply<Call::vfwscanf> : WideScanReply {};
template <>
struct Reply<Call::wscanf> : WideScanReply {};
template <>
struct Reply<Call::vwscanf> : WideScanReply {};
template <>
struct Reply<Call::__isoc99_fwscanf> : WideScanReply {};
template <>
struct Reply<Call::__isoc99_vfwscanf> : WideScanReply {};
template <>
struct Reply<Call::__isoc99_wscanf> : WideScanReply {};
template <>
struct Reply<Call::__isoc99_vwscanf> : WideScanReply {};

}  // namespace weir::burst::preload
