#pragma once

namespace weir::capture {

// Which calls slices count. WEIR_SLICES_UNDER names directories, absolute and with a ':' between them: then
// only calls on what lies below one of them; without it all. What a descriptor is open on is asked of the
// kernel, so symbolic links, inherited descriptors and what came by dup are all told apart rightly; who asks
// remembers the answer (descriptors.hpp). A name that is given to a call is compared as it is written.
// Allocates nothing.
class SliceScope {
 public:
  static bool everything() { return state() == kEverything; }
  // Negative descriptors are inside nothing.
  static bool holds(int fd);
  // `at` is the directory that a relative name counts from.
  static bool holds(int at, const char* path);

 private:
  static constexpr int kUnknown = 0, kEverything = 1, kSome = 2;
  static int state();
};

}  // namespace weir::capture
