#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/trace_file.hpp"

namespace weir::semantics {

// Who may meet whom: a communicator as all its members see it, by the indices of their processes in the
// trace.
struct Context {
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};  // a member that is not in the trace

  // An inter-communicator has two groups. The other one of an intra-communicator is empty.
  std::array<std::vector<std::uint32_t>, 2> groups;

  bool is_inter() const { return !groups[1].empty(); }
};

// Where a process stands in a context.
struct Place {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t context = kNone;
  std::uint32_t group = 0;
  std::uint32_t rank = 0;

  bool known() const { return context != kNone; }
};

// The communicators of a trace: the worlds, each process alone, and what was made while the programs ran.
class Contexts {
 public:
  explicit Contexts(const trace::TraceFile& trace);

  const Context& operator[](std::uint32_t context) const { return contexts_[context]; }
  std::size_t size() const { return contexts_.size(); }

  Place world(std::uint32_t process) const { return worlds_[process]; }
  Place self(std::uint32_t process) const;
  // By the number that the process knows it by.
  Place find(std::uint32_t process, std::int64_t id) const;
  // The group that messages of the process go to, and come from.
  const std::vector<std::uint32_t>& peers(const Place& place) const {
    const Context& context = contexts_[place.context];
    return context.groups[context.is_inter() ? 1 - place.group : 0];
  }

  // What keeps communicators from being understood.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void find_worlds(const trace::TraceFile& trace);
  void find_communicators(const trace::TraceFile& trace);

  std::vector<Context> contexts_;
  std::vector<Place> worlds_;  // by process
  std::vector<std::unordered_map<std::int64_t, Place>> made_;
  std::uint32_t first_self_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace weir::semantics
