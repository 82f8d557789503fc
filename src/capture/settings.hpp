#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "calls/call.hpp"

namespace weir::capture {

// What `weir trace` tells the recorder, through the environment, so that it reaches every process the program
// starts. Read once; nothing is allocated.
inline constexpr const char* kDirectoryVariable =
    "WEIR_TRACE_DIR";  // absolute; without it nothing is recorded
inline constexpr const char* kTimingVariable = "WEIR_TRACE_TIMING";    // "off": records carry no times
inline constexpr const char* kMemoryVariable = "WEIR_TRACE_MEMORY";    // bytes per process for tables
inline constexpr const char* kIncludeVariable = "WEIR_TRACE_INCLUDE";  // path prefixes, ':' between them
inline constexpr const char* kExcludeVariable = "WEIR_TRACE_EXCLUDE";  // likewise

inline constexpr const char* kNotInVariable =
    "WEIR_TRACE_NOT_IN";  // file names of programs, ',' between them: launchers, which are no part of the job
inline constexpr const char* kLayersVariable =
    "WEIR_TRACE_LAYERS";  // names, ',' between them; all without it

inline constexpr const char* kMpiVariable =
    "WEIR_TRACE_MPI";  // what the user said of the program's MPI; "none": it is not to be recorded

inline constexpr const char* kMergeVariable =
    "WEIR_TRACE_MERGE";  // how times are kept (trace/part.hpp) when ranks are merged inside MPI_Finalize;
                         // without it they are not

inline constexpr std::uint64_t kDefaultMemory = std::uint64_t{16} << 20;

class Settings {
 public:
  // Whether there is anything to do.
  bool read();

  const char* directory() const { return directory_; }
  bool timed() const { return timed_; }
  const char* merging() const { return merging_; }  // empty: not at all
  std::uint64_t memory() const { return memory_; }
  bool traces(Layer layer) const { return layers_[static_cast<std::size_t>(layer)]; }
  // Handles that have no name, pipes say, are under no prefix.
  bool wants_nameless() const { return include_[0] == '\0'; }
  bool filters() const { return include_[0] != '\0' || exclude_[0] != '\0'; }
  // Whether calls on this absolute path are recorded: the longest prefix that matches decides.
  bool wants(std::string_view path) const;

 private:
  static constexpr std::size_t kLongest = 4096;

  char directory_[kLongest] = {};
  char include_[kLongest] = {};
  char exclude_[kLongest] = {};
  char merging_[kLongest] = {};
  std::uint64_t memory_ = kDefaultMemory;
  bool timed_ = true;
  bool layers_[kLayerCount] = {};
};

}  // namespace weir::capture
