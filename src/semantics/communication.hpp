#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "trace/trace_file.hpp"

namespace weir::semantics {

// Messages that one process sent to another, as the sender's calls tell it. Collectives and one-sided
// transfers are not messages: the library chooses who sends them to whom.
struct Channel {
  std::uint32_t from = 0;  // processes of the trace
  std::uint32_t to = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct Communication {
  std::vector<Channel> channels;  // by sender, then by receiver
  std::uint64_t unsized = 0;   // messages of a datatype that was not seen made: their bytes are not counted
  std::uint64_t unplaced = 0;  // messages to a process that is not in the trace
};

// Counts messages in records that somebody else reads.
class MessageCounter {
 public:
  // The trace must outlive it.
  explicit MessageCounter(const trace::TraceFile& trace);
  ~MessageCounter();
  MessageCounter(const MessageCounter&) = delete;
  MessageCounter& operator=(const MessageCounter&) = delete;

  // Those of a process in their order, from one thread; processes side by side.
  void see(std::uint32_t process, const trace::Record& record);
  Communication take() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

// Reads all records; processes side by side.
Result<Communication> find_communication(const trace::TraceFile& trace, bool salvage = false);

}  // namespace weir::semantics
