#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/outer_first.hpp"
#include "trace/trace_file.hpp"

namespace weir::trace {

// Which records of a trace; everything by default.
struct Selection {
  std::optional<std::size_t> process;   // its index in the trace
  std::optional<std::int64_t> number;   // of a process, as the kernel gave it
  std::optional<std::int64_t> rank;     // of a process, to MPI
  std::optional<std::uint64_t> thread;  // likewise
  std::vector<std::string> functions;   // patterns of names, or of the plain names they mean
  std::vector<std::string> files;       // patterns of absolute names; without a '/' of the last part
  std::optional<std::int64_t> from_ns;  // calls that ended then or later
  std::optional<std::int64_t> to_ns;    // calls that began before
  bool failed = false;                  // those that failed only
  bool salvage = false;                 // go on behind damaged blocks
  bool by_process = false;              // one stream after the other, not all by their start times
};

// Says what in it cannot be: a process that is not there, a pattern that no function matches.
Result<void> check(const Selection& selection, const TraceFile& trace);

// A name the program gave, from where it counts: `under` is the working directory.
void append_absolute(std::string& out, std::string_view name, std::string_view under);
// The files a call is about, absolute: of its handles and of the paths it was given.
void names_of_files(const Record& record, std::string_view directory, std::vector<std::string>& names);
// The one it is about most, as file_of(), but absolute; `made` holds it where it must be put together.
std::string_view absolute_file(const Record& record, std::string_view directory, std::string& made);

// The chosen records of all streams, ordered by their start where the trace has times, else one stream after
// the other. Memory is that of a block for each stream that is open at the same time.
class Records {
 public:
  struct Item {
    std::size_t process = 0;
    std::size_t stream = 0;
    const Record* record = nullptr;
    std::string_view directory;
  };

  // The trace must outlive it. The selection must have passed check().
  Records(const TraceFile& trace, Selection selection);

  // The next one, valid until the one after it. False at the end, or at damage that is not to be passed.
  bool next(Item& item);
  const std::optional<Error>& error() const { return error_; }
  // What was passed.
  const std::vector<std::string>& damage() const { return damage_; }

 private:
  struct Source {
    std::size_t process = 0;
    std::size_t stream = 0;
    std::uint64_t stop_at = 0;  // no record from here on is of interest
    std::int64_t key = 0;
    std::unique_ptr<OuterFirst> reader;  // made when its turn comes
    const Record* record = nullptr;
  };

  bool is_before(std::size_t a, std::size_t b) const;
  bool advance(Source& source);
  bool wanted(const Record& record, std::string_view directory);
  bool file_wanted(const Record& record, std::string_view directory);
  void sift_down();

  const TraceFile* trace_;
  Selection selection_;
  std::vector<bool> function_wanted_;  // by its number
  std::vector<Source> sources_;
  std::vector<std::size_t> heap_;  // the first is the next
  bool give_first_ = false;        // the first of the heap was given and must go on
  std::optional<Error> error_;
  std::vector<std::string> damage_;
  std::vector<std::string> names_;
};

}  // namespace weir::trace
