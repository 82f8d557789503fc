#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "semantics/detail/action.hpp"
#include "semantics/detail/collected.hpp"
#include "semantics/detail/host_clocks.hpp"
#include "semantics/detail/process_table.hpp"
#include "trace/trace_file.hpp"

namespace weir::semantics::detail {

// Follows the records of processes that have descriptors in common, a process and those forked from it, and
// writes down which bytes of which opening each call touched. Records come in the order in which they ended.
class Follower {
 public:
  Follower(const trace::TraceFile& trace, std::span<const CallInfo> calls, const HostClocks& clocks);

  // Before its first record.
  void begin(std::uint32_t process, std::uint32_t streams);
  // `position` tells where the next access through a handle of the record's stream would be.
  void record(std::uint32_t process, std::uint32_t stream, const trace::Record& record,
              const trace::RecordReader& reader);
  // A stream is at its end; behind the last one of a process what it left open is closed.
  void end(std::uint32_t process);

  Collected take() { return std::move(out_); }

 private:
  // The call at hand.
  struct Call {
    std::uint32_t process = 0;
    std::uint32_t stream = 0;
    const trace::Record* record = nullptr;
    const CallInfo* info = nullptr;
    const trace::RecordReader* reader = nullptr;
    ProcessTable* table = nullptr;
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;

    const trace::Value& argument(std::int8_t at) const {
      return record->arguments[static_cast<std::size_t>(at)];
    }
    Event event() const { return {process, stream, record->index}; }
    std::int64_t result() const { return record->result.number; }
  };

  void act(const Call& call);

  // Opening and closing: follow_open.cpp.
  void open(const Call& call, bool stream);
  void make_stream(const Call& call);
  void duplicate(const Call& call, const trace::Value& original);
  void replace(const Call& call, std::int32_t number);
  void close(const Call& call, consistency::Operation operation);
  void close_numbers(const Call& call);
  void close_streams(const Call& call);
  void control(const Call& call);
  Slot* slot_of(const Call& call, const trace::Value& handle);
  void adopt(const Call& call, const trace::Value& handle, Slot& slot);
  void adopt_unseen(const Call& call, const trace::Value& handle, const std::string& name, Slot& slot);
  std::uint32_t add_opening(const Call& call, std::string path);
  std::uint32_t use_of(ProcessTable& table, std::uint32_t process, std::uint32_t opening);
  void inherit(ProcessTable& table, std::uint32_t process, const ProcessTable& from);
  void fill(const Call& call, const trace::Value& opened, std::uint32_t opening, bool stream);
  std::string path_of(const Call& call, std::int8_t path, std::int8_t directory) const;

  // Bytes: follow_data.cpp.
  void transfer(const Call& call);
  void transfer_at(const Call& call);
  void transfer_stream(const Call& call);
  Slot* standard_stream(const Call& call);
  Slot* stream_of(const Call& call);
  void miss_block(const Call& call, const Slot& slot, std::int64_t bytes);
  void miss_stream(const Call& call);
  void note_ahead(const Call& call, Slot& slot, std::int64_t bytes);
  void miss(const Call& call, const Slot& slot, std::int64_t at, std::int64_t got, bool from_end);
  void copy(const Call& call);
  struct AskedFor;
  void begin_request(const Call& call);
  void begin_requests(const Call& call);
  void ask(const Call& call, const AskedFor& asked, bool writes, bool complete);
  void end_request(const Call& call);
  void seek(const Call& call);
  void seek_stream(const Call& call);
  void truncate(const Call& call);
  void allocate(const Call& call);
  void map(const Call& call);
  void add_mapped(const Call& call, const Mapping& mapping, std::int64_t begin, std::int64_t end);
  void unmap(const Call& call);
  void sync_map(const Call& call);
  void move_map(const Call& call);
  void move(const Call& call, Slot& slot, int direction, std::int64_t bytes, std::uint8_t flags);
  void add(const Call& call, std::uint32_t use, std::int64_t begin, std::int64_t end, std::uint8_t flags,
           std::uint16_t buffer = 0);

  // MPI-IO: follow_mpi.cpp.
  void act_mpi(const Call& call);
  void mpi_open(const Call& call);
  void mpi_close(const Call& call);
  void mpi_view(const Call& call);
  void mpi_seek(const Call& call);
  void mpi_transfer(const Call& call);
  std::uint16_t mpi_begin(const Call& call, std::uint32_t use, MpiFile& file);
  void mpi_begin_inside(const Call& call);
  void mpi_complete(const Call& call);

  // Visibility and names: follow_names.cpp.
  void sync(const Call& call, std::uint32_t use, std::uint32_t operations, std::uint16_t buffer = 0);
  void sync_all(const Call& call, std::uint32_t operations, bool streams_only);
  void flush(const Call& call);
  void change_mode(const Call& call);
  void rename(const Call& call);
  void note_name(const Call& call, NameChange::Kind kind);
  void cut_off(const Call& call, std::uint32_t use, std::int64_t length, std::uint8_t flags);
  void note(const Call& call, NameChange change);

  // Waits for the call around this one, if there is one.
  void hold(const Call& call, Pending::What what, std::size_t index);
  // Those that were made inside the call.
  static std::span<Pending> inside(const Call& call);
  void settle_pending(const Call& call);

  const trace::TraceFile* trace_;
  std::span<const CallInfo> calls_;
  const trace::Function* functions_;
  const HostClocks* clocks_;
  std::vector<Description> descriptions_;
  std::map<std::pair<std::int32_t, std::string>, std::uint32_t> unseen_;  // opened before the recording
  std::map<std::uint32_t, ProcessTable> processes_;
  std::uint32_t last_process_ = 0;  // of which the last record was
  ProcessTable* last_table_ = nullptr;
  std::map<std::int64_t, ProcessTable> forked_;  // as it was at fork(), by the child's number
  std::set<std::int64_t> started_;               // numbers of processes of which there were records
  std::size_t pending_ = 0;                      // of all processes and streams
  std::vector<InnerRequest> inner_requests_;     // of those that are pending
  Collected out_;
};

}  // namespace weir::semantics::detail
