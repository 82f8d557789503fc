#pragma once

#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>

#include "burst/preload/open_file.hpp"

namespace weir::burst::preload {

// Streams on burst files: made with functions of ours under them, so that the C library does all the rest.
class Streams {
 public:
  static Streams& current();

  // On a descriptor that is a placeholder; null and errno.
  FILE* open(int fd, const char* mode);
  FILE* open(const char* path, const char* mode, bool& ours);
  // The C library's own stream on this name, or one of ours where the name stands for a placeholder
  // ("/dev/stdout").
  FILE* opened(FILE* stream, const char* path, const char* mode);
  // The same stream on another file; `ours` false: the program's own call has to be made.
  FILE* reopen(const char* path, const char* mode, FILE* stream, bool& ours);
  bool has(FILE* stream);
  // What fwide() does and tells: a stream's first use for bytes (-1) or wide characters (1) decides. 0 also
  // for streams that are not ours.
  int orient(FILE* stream, int mode);
  // It is about to be closed by its own function.
  void closing(FILE* stream);
  void flush_all();

  // Around a change of what a descriptor stands for: the C library's own streams on 0, 1 and 2 are replaced
  // while a burst file is behind them.
  static void before_change(int fd) {
    if (static_cast<unsigned>(fd) < kStandard && current().replaced_[fd].load() != nullptr)
      current().flush_standard(fd);
  }
  void descriptor_changed(int fd) {
    if (static_cast<unsigned>(fd) < kStandard) standard_changed(fd);
  }
  // For a program that has kept the pointer of before.
  static FILE* in_place_of(FILE* stream) {
    if (!any_replaced_.load(std::memory_order_relaxed)) [[likely]]
      return stream;
    return current().replacement_of(stream);
  }
  static bool stderr_is_ours() { return any_replaced_ && current().replaced_[2].load() != nullptr; }

  std::mutex& mutex() { return mutex_; }

 private:
  static constexpr unsigned kStandard = 3;

  void flush_standard(int fd);
  void standard_changed(int fd);
  FILE* replacement_of(FILE* stream);
  FILE* make(int fd, const char* mode);

  static constinit std::atomic<bool> any_replaced_;
  std::atomic<FILE*> replaced_[kStandard] = {};
  FILE* original_[kStandard] = {};
  std::mutex mutex_;          // guards all_
  std::map<FILE*, int> all_;  // with their orientation
};

}  // namespace weir::burst::preload
