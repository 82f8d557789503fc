#pragma once

#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "burst/extent_map.hpp"
#include "consistency/operation.hpp"

namespace weir::burst {

class File;

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
};

// By the name of a model: posix, posix-lock, commit, mpiio (which is given commit), session, eventual, none.
// Policies live as long as the process; the same name gives the same one.
Result<const Policy*> find_policy(std::string_view model);
std::string list_of_policies();

}  // namespace weir::burst
