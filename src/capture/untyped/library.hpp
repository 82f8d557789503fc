#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "calls/call.hpp"
#include "capture/lane.hpp"
#include "capture/objects.hpp"
#include "capture/start_once.hpp"
#include "intercept/real.hpp"

namespace weir::capture {

// A function of a library, which stays where it is while calls of it are recorded.
template <class Function>
Function library_function(const char* name) {
  return reinterpret_cast<Function>(search_real(name));
}

// What is particular to a library.
struct LibraryWays {
  // Whether objects of that role are this library's; others are MPI's.
  bool (*owns)(Role role);
  // The name of a number that stands for something in place of an object, "" for none; null for an object.
  // `argument` is what the row calls it.
  const char* (*name_of)(Role role, std::int64_t object, std::string_view argument);
  // The name of an object that the library has by itself; null for all others. Asked once about each.
  const char* (*predefined)(std::int64_t object);
  // Dimensions of what `object` is; of variable `variable` in it, where objects are files. -1: not known.
  std::int64_t (*rank_of)(std::int64_t object, std::int64_t variable);
};

// A library with objects of its own whose calls are recorded by one piece of code for all rows: HDF5, NetCDF
// and PnetCDF. Their calls take microseconds and more, and they have hundreds of them.
class ObjectLibrary {
 public:
  explicit constexpr ObjectLibrary(const LibraryWays& ways) : ways_(ways) {}

  bool owns(Role role) const { return ways_.owns(role); }
  std::int64_t rank_of(std::int64_t object, std::int64_t variable) const {
    return ways_.rank_of(object, variable);
  }

  // Called before the first call is recorded. False when there is no memory.
  bool ready() {
    return started_.ready([this] { return objects_.start(); });
  }
  // What is known of an object; one that was not seen made is made known.
  Objects::Object find(Role role, std::int64_t object, std::string_view argument = {});
  Objects::Object add(Role role, std::int64_t object);
  void remove(Role role, std::int64_t object);

 private:
  // All objects of HDF5 have numbers from one pool: a call may be given any of them.
  static Role kind_of(Role role) { return role == Role::request ? role : Role::object; }

  LibraryWays ways_;
  Objects objects_;
  StartOnce started_;
};

// The library that a layer is of.
ObjectLibrary& library_of(Layer layer);

// Objects of MPI that are given to other libraries: filled in where there is MPI.
struct MpiObjects {
  Objects::Object (*find)(Role role, std::uint64_t handle, Lane& lane);
  Objects::Object (*add)(Role role, std::uint64_t handle, Lane& lane);
};
extern constinit std::atomic<const MpiObjects*> mpi_objects;

}  // namespace weir::capture
