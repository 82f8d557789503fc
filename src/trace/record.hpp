#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calls/call.hpp"
#include "trace/shape.hpp"

namespace weir::trace {

// A function as the trace describes it: names and roles come from the file, so that a trace outlives the
// table it was made with.
struct Function {
  Function() = default;
  Function(Function&&) = default;
  Function& operator=(Function&&) = default;
  Function(const Function&) = delete;  // `arguments` points into it
  Function& operator=(const Function&) = delete;

  std::string name;
  std::string means;  // the plain name of which this is another shape ("open" for "__open_2"); else its own
  std::string layer;
  std::string result_type;
  Role result = Role::value;
  bool opens = false;
  bool closes = false;
  int moves = 0;  // data to a file (1), from one (-1) or none
  // How many bytes that is.
  enum class Moved : std::uint8_t {
    by_roles,  // as the roles of its arguments and its result tell
    word,      // an int (putw)
    line,      // a string and its newline (puts)
    at_least,  // what roles tell is characters, of one byte or more (fputws)
    unknown,   // what did not fit into a buffer that the program fills or empties itself (__overflow)
  };
  Moved moved = Moved::by_roles;
  std::uint32_t objects = 0;                 // bit i: argument i is an object of MPI or HDF5
  bool makes_object = false;                 // the result is one
  std::vector<std::string> names_and_types;  // what the views in `arguments` point to
  std::vector<Argument> arguments;
  Shape shape;
};

// One of several things that were given together: the requests of MPI_Waitall, the counts of MPI_Alltoallv.
struct ListItem {
  enum class Kind : std::uint8_t {
    number,   // `number`
    name,     // a predefined object: `text`
    nothing,  // a null handle, a list that is not there
    list,     // the next `number` items are a list themselves; no more than follow
  };

  Kind kind = Kind::nothing;
  std::int64_t number = 0;
  std::string_view text;
};

// An argument or a result as the program saw it.
struct Value {
  enum class Kind : std::uint8_t {
    absent,      // not recorded: the content of memory, an out pointer; it was not null
    null,        // a null pointer
    number,      // `number`
    text,        // `text`
    path,        // `text`, as the program gave it
    handle,      // an open file: `number` is the descriptor (-1 for a stream without one), `text` its name
    failed,      // a result: -1 or null; `number` is errno
    opened,      // a result: a new handle, as above
    pair,        // two new handles: `number` and `second` are the descriptors
    unfinished,  // a result: the call did not return
    object,      // of MPI or HDF5: `number` is its symbolic id; predefined ones are a `text`, their name
    status,      // how a receive ended: `number` is the source, `second` the tag
    list,        // `items`
  };

  Kind kind = Kind::absent;
  std::uint32_t handle = 0;  // the symbolic id
  std::int64_t number = 0;
  std::int64_t second = 0;
  std::string_view text;            // valid until the next record is read
  std::string_view file;            // of a request: the file it is about
  std::span<const ListItem> items;  // valid until the next record is read
};

struct Record {
  std::uint64_t index = 0;  // within its stream
  const Function* function = nullptr;
  int moves = 0;  // as of the function; of a finished request what it did
  std::uint32_t signature = 0;
  std::uint32_t depth = 0;   // 0: the program's own call; 1: made inside that one; ...
  std::uint64_t thread = 0;  // the kernel's number
  std::span<const Value> arguments;
  Value result;
  std::int64_t start_ns = 0;  // from the trace's origin; 0 in a trace without times
  std::uint64_t duration_ns = 0;

  bool failed() const { return result.kind == Value::Kind::failed; }
};

// Whether an argument or a result of this role stands for an object of MPI or HDF5 in calls of this layer.
bool is_object(std::string_view layer, Role role);
// Whether a text says where data lies ("heap#2+64") rather than being a constant (MPI_IN_PLACE).
bool names_memory(Role role, std::string_view text);
// Bytes that the call moved between the program and a file, 0 for others and where nothing tells.
std::uint64_t bytes_moved(const Record& record);
// At least so many, also where only characters are known.
std::uint64_t least_moved(const Record& record);
// Whether the call writes (1), reads (-1) or neither (0).
int direction(const Function& function);
Function::Moved how_moved(const Function& function);
// The name of the file the call is about: of its first handle, else its first path; empty for none.
std::string_view file_of(const Record& record);

}  // namespace weir::trace
