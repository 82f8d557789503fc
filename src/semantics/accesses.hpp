#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "semantics/access.hpp"
#include "semantics/order/order.hpp"
#include "trace/trace_file.hpp"

namespace weir::semantics {

// A name that was made, changed, removed or relied upon.
struct NameUse {
  enum class Kind : std::uint8_t {
    create,  // a file or a directory came to be
    rename,
    link,
    remove,
    resize,  // truncate() and its like
    // From here on somebody relies on what is there.
    open,     // of a file that was there
    look_up,  // stat, access
    list,     // a directory was read
    miss,     // it was not there
  };

  Kind kind = Kind::open;
  std::uint32_t name = 0;   // which, among all names
  std::uint32_t other = 0;  // the new name of a rename or a link
  Event event;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;

  bool changes() const { return kind <= Kind::resize; }
};

// How often a call that is neither data nor open, close or seek was made, and by whom.
struct MetadataCount {
  enum class Library : std::uint8_t { none, mpi, hdf5, netcdf, pnetcdf };

  std::string function;
  std::string layer;                // the function's: posix, mpiio, hdf5
  Library made_by = Library::none;  // inside whose call; none: by the program itself
  std::uint64_t calls = 0;
};

// What programs did to files, of one trace or of several that ran one after the other. Processes are numbered
// through all traces; times are those of rank 0's clock, later traces begin after earlier ones have ended.
struct Accesses {
  struct Program {
    const trace::TraceFile* trace = nullptr;
    std::uint32_t first_process = 0;
    std::int64_t shift_ns = 0;  // added to its times
  };

  std::vector<Program> programs;
  std::vector<Order> orders;  // of the programs; none if that was not asked for
  std::vector<File> files;    // by name; those with accesses
  std::vector<std::string> names;
  std::vector<NameUse> name_uses;  // in an order that agrees with `orders`, by time otherwise
  std::vector<MetadataCount> metadata;
  std::uint64_t access_count = 0;
  std::uint64_t data_calls = 0;
  std::uint64_t unfollowed = 0;     // data calls whose bytes the trace does not tell (lists of requests)
  std::uint64_t rings = 0;          // of io_uring: what goes through them is not seen
  std::uint64_t untyped = 0;        // MPI-IO calls whose datatype the trace does not tell
  std::uint64_t library_files = 0;  // that MPI keeps for itself; not among `files`

  const Program& program_of(std::uint32_t process) const;
  const trace::ProcessInfo& process(std::uint32_t process) const;
  // The event as its own trace has it.
  Event local(Event event) const;
  // Where the call stands among all; its times are those of this scale.
  LinePlace place(const Event& event) const;
  // Whether its name may stand for a file of its own on each machine where it was used.
  bool may_be_several(const File& file) const;
  // "rank 3", "process 4711"; with the program where there are several.
  std::string label(std::uint32_t process) const;
};

struct RebuildOptions {
  unsigned threads = 0;  // 0: one per core
  bool salvage = false;
  std::function<void(std::uint64_t records)> advance;  // from any thread
  // False for who only adds up accesses: what came before what is not proven, names go by time, and a file's
  // accesses come process by process unless they depend on where the file ended.
  bool ordered = true;
  // Who else looks at the records, so that they are decoded once: those of a process from one thread.
  std::function<void(std::uint32_t process, const trace::Record& record)> also = nullptr;
};

// The traces must outlive it. Memory goes with the number of accesses, about 60 bytes each.
Result<Accesses> rebuild(const std::vector<const trace::TraceFile*>& traces,
                         const RebuildOptions& options = {});

}  // namespace weir::semantics
