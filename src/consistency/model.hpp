#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "consistency/operation.hpp"

namespace weir::consistency {

// What a file system promises about writes, as data: `weir check` holds a program against it, the burst file
// system does what it says.
//
// A write of one process is visible to a later access of another if, on the order in which things happened,
// an operation of `publish` by the writer on the file follows the write, and an operation of `see` by the
// other follows that and precedes the access. With nothing in `see`, published is visible. Nothing in
// `publish` means that nothing makes a write visible at a known moment.
struct Model {
  std::string name;
  std::string summary;  // for people, one line
  Operations publish;
  Operations see;
  // Accesses of one process take effect in their order. Without it two overlapping ones of the same process
  // need what those of two processes need; only calls count then, no write is published by itself.
  bool own_order = true;
  // Creating, renaming, removing and resizing are seen by all at once.
  bool strong_names = true;

  bool publishes_on(Operation operation) const { return publish.has(operation); }
  bool sees_on(Operation operation) const { return see.has(operation); }
  // Published without being asked for, or seen without asking.
  bool publishes_writes() const { return publish.has(Operation::write); }
  bool sees_at_once() const { return see.empty(); }

  friend bool operator==(const Model&, const Model&) = default;
};

// The models that are built in, each weaker than the one before: what suffices for a program under a later
// one suffices under all earlier ones.
std::span<const Model> built_in_models();
// By name; null when there is none.
const Model* find_model(std::string_view name);
// "posix, commit, mpiio, session, eventual".
std::string list_of_models();

// The model that the burst file system puts in place of a built-in one: itself, or the next stronger one.
const Model& offered_by_burst(const Model& model);

}  // namespace weir::consistency
