#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace weir {

// What makes a preload library follow the programs that are started.
struct Followed {
  std::string_view library;                    // how its file's name begins
  std::array<std::string_view, 3> settings{};  // how variables begin that it is told by
  std::string_view needed;                     // the one without which it does nothing
  bool goes_last = false;                      // behind other preload libraries
};

// What a program must find in its environment so that a preload library is in it as in the one that starts
// it: the library in LD_PRELOAD, and what the library was told. A program that starts another with an
// environment of its own knows nothing of it, so what is missing is added. Allocates nothing: a child of
// vfork runs in its parent's memory.
class ChildEnvironment {
 public:
  constexpr explicit ChildEnvironment(const Followed& followed) : followed_(followed) {}

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
    bool settings = true;                   // it has none of ours
    std::size_t preload = kNone;            // which variable LD_PRELOAD is
    std::string_view other_libraries = {};  // its value
  };
  Lacking lacking(const char* const* environment) const;
  // The entry of an LD_PRELOAD list that is our library; empty when none is.
  std::string_view our_library(std::string_view list) const;
  bool is_setting(std::string_view text) const;

  Followed followed_;
  char text_[kRoom] = {};
  std::string_view library_ = {};  // in text_, as the two below
  const char* settings_[kMost] = {};
  std::size_t settings_count_ = 0;
};

}  // namespace weir
