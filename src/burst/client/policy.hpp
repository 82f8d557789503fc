#pragma once

#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "burst/extent_map.hpp"
#include "burst/file_id.hpp"
#include "consistency/operation.hpp"

namespace weir::burst {

class File;
class FileSystem;

// When a file's writes are published and others' are seen. What a client does at these moments is all that
// consistency models differ in; its own writes a process always sees. Failures are errno values.
class Policy {
 public:
  virtual ~Policy() = default;
  // Whether opening asks for all that is published.
  virtual bool looks_on_open() const = 0;
  virtual bool publishes_on_close() const = 0;
  virtual int before_read(File& file, Span bytes) const = 0;
  virtual int after_write(File& file, Span bytes) const = 0;
  // fsync() and its like.
  virtual int on(consistency::Operation operation, File& file) const = 0;

  // A read gives what was last written, whoever wrote it.
  virtual bool is_strong() const { return false; }
  // What was seen of the bytes is no longer where it was.
  virtual int look_again(File& file, Span bytes) const;
  virtual int before_close(File& /*file*/) const { return 0; }
  // The owner is about to be asked how long the file is; it was `size` when last heard of.
  virtual int before_stat(FileSystem& /*system*/, FileId /*file*/, std::uint64_t /*size*/) const { return 0; }
  // Whether an append is published where it is put; else room is made and the write follows.
  virtual bool appends_at_once() const { return false; }
  // Around what depends on the file's end and changes it. `held` is for the second.
  virtual bool holds_to_resize() const { return false; }
  virtual int before_resize(File& /*file*/, std::uint64_t& /*held*/) const { return 0; }
  virtual int after_resize(File& /*file*/, std::uint64_t /*held*/) const { return 0; }
};

// By the name of a model: posix, posix-lock, commit, mpiio (which is given commit), session, eventual, none.
// Policies live as long as the process; the same name gives the same one.
Result<const Policy*> find_policy(std::string_view model);
std::string list_of_policies();

}  // namespace weir::burst
