#pragma once

#include <cstddef>
#include <string_view>

namespace weir::capture {

// What a program must find in its environment to be recorded like the one that starts it: our library in
// LD_PRELOAD, and what `weir trace` said. A program that starts another with an environment of its own knows
// nothing of it, so what is missing is added. Allocates nothing: a child of vfork runs in its parent's
// memory.
class ChildEnvironment {
 public:
  // Remembers what this process was started with. Once; where it does not fit, nothing is ever added.
  void read(const char* const* environment);

  // The bytes that completed() needs, 0 when nothing is missing or nothing can be said: an environment that
  // cannot be read is for the system to refuse.
  std::size_t room_for(const char* const* environment) const;
  // The same environment with what it lacks. `room` is aligned for a pointer.
  char* const* completed(const char* const* environment, void* room) const;

 private:
  static constexpr std::size_t kRoom = 32 * 1024;
  static constexpr std::size_t kMost = 16;

  static constexpr std::size_t kNone = ~std::size_t{0};

  struct Lacking {
    std::size_t variables = 0;  // how many it has
    bool readable = true;
    bool library = true;                    // ours is not in its LD_PRELOAD
    bool settings = true;                   // it says nothing of where to record
    std::size_t preload = kNone;            // which variable LD_PRELOAD is
    std::string_view other_libraries = {};  // its value
  };
  Lacking lacking(const char* const* environment) const;

  char text_[kRoom] = {};
  std::string_view library_ = {};  // in text_, as the two below
  const char* settings_[kMost] = {};
  std::size_t settings_count_ = 0;
};

}  // namespace weir::capture
