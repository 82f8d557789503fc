#pragma once

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "burst/preload/descriptors.hpp"
#include "burst/preload/mount.hpp"
#include "burst/preload/reply.hpp"
#include "burst/preload/streams.hpp"

// Calls that make and end streams, or speak past them. All others the C library does itself.
namespace weir::burst::preload {

template <>
struct Reply<Call::fopen> {
  static FILE* run(auto real, const char* path, const char* mode) {
    if (Mount::current().may_hold(path)) [[unlikely]] {
      bool ours = false;
      FILE* const stream = Streams::current().open(path, mode, ours);
      if (ours) {
        if (stream == nullptr) real.set_errno(errno);
        return stream;
      }
    }
    FILE* const stream = real(path, mode);
    if (stream == nullptr) return stream;
    descriptor_made(::fileno(stream));
    return Mount::current().is_on() ? Streams::current().opened(stream, path, mode) : stream;
  }
};

template <>
struct Reply<Call::fdopen> {
  static FILE* run(auto real, int fd, const char* mode) {
    if (!Table::has(fd)) return real(fd, mode);
    FILE* const stream = Streams::current().open(fd, mode);
    if (stream == nullptr) real.set_errno(errno);
    return stream;
  }
};

template <>
struct Reply<Call::freopen> {
  static FILE* run(auto real, const char* path, const char* mode, FILE* stream) {
    bool ours = false;
    if (Mount::current().is_on()) {
      FILE* const now = Streams::current().reopen(path, mode, Streams::in_place_of(stream), ours);
      if (ours) {
        if (now == nullptr) real.set_errno(errno);
        return now;
      }
    }
    return real(path, mode, stream);
  }
};

template <>
struct Reply<Call::fclose> {
  static int run(auto real, FILE* stream) {
    FILE* const meant = Streams::in_place_of(stream);
    if (Mount::current().is_on() && meant != nullptr) {
      if (Streams::current().has(meant))
        Streams::current().closing(meant);
      else
        Mount::current().forget_descriptor(::fileno(meant));
    }
    return real(meant);
  }
};

// Flushing publishes under models that say so.
template <>
struct Reply<Call::fflush> {
  static int run(auto real, FILE* stream) {
    FILE* const meant = Streams::in_place_of(stream);
    const int result = real(meant);
    if (result != 0 || !Mount::current().is_on()) return result;
    if (meant == nullptr) {
      Table::current().for_each([](OpenFile& file, int) { file.sync(consistency::Operation::fflush); });
      return result;
    }
    if (const Use file(meant->_fileno); file && Streams::current().has(meant))
      return give(real, file->sync(consistency::Operation::fflush));
    return result;
  }
};

// Past any stream: the C library would write to the descriptor by itself.
inline Answer print(int fd, const char* format, va_list values) {
  ::pthread_testcancel();
  char* text = nullptr;
  const int length = ::vasprintf(&text, format, values);
  if (length < 0) return Answer::failed(errno);
  const Use file(fd);
  const iovec part{text, static_cast<std::size_t>(length)};
  const Answer done = file ? file->write(fd, &part, 1) : Answer::failed(EBADF);
  std::free(text);
  return done;
}
template <bool kChecked>
struct PrintReply {
  static int run(auto real, int fd, const char* format, va_list values) {
    return Table::has(fd) ? give(real, print(fd, format, values)) : real(fd, format, values);
  }
  static int run(auto real, int fd, int level, const char* format, va_list values) {
    return Table::has(fd) ? give(real, print(fd, format, values)) : real(fd, level, format, values);
  }
};
template <>
struct Reply<Call::dprintf> : PrintReply<false> {};
template <>
struct Reply<Call::vdprintf> : PrintReply<false> {};
template <>
struct Reply<Call::__dprintf_chk> : PrintReply<true> {};
template <>
struct Reply<Call::__vdprintf_chk> : PrintReply<true> {};

// It would duplicate the descriptor and write to it by itself.
template <>
struct Reply<Call::perror> {
  static void run(auto real, const char* text) {
    if (!Streams::stderr_is_ours()) return real(text);
    const char* const reason = ::strerror(real.error());
    const bool named = text != nullptr && *text != '\0';
    ::fprintf(stderr, "%s%s%s\n", named ? text : "", named ? ": " : "", reason);
  }
};

}  // namespace weir::burst::preload
