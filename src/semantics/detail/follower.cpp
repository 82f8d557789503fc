#include "semantics/detail/follower.hpp"

namespace weir::semantics::detail {

using consistency::Operation;

Follower::Follower(const trace::TraceFile& trace, std::span<const CallInfo> calls, const HostClocks& clocks)
    : trace_(&trace), calls_(calls), functions_(trace.tables().functions.data()), clocks_(&clocks) {}

void Follower::begin(std::uint32_t process, std::uint32_t streams) {
  ProcessTable& table = processes_[process];
  table.streams_left = streams;
  table.pending.resize(streams);
}

void Follower::record(std::uint32_t process, std::uint32_t stream, const trace::Record& record,
                      const trace::RecordReader& reader) {
  const CallInfo& info = calls_[static_cast<std::size_t>(record.function - functions_)];
  if (last_table_ == nullptr || last_process_ != process) {
    last_process_ = process;
    last_table_ = &processes_[process];
  }
  ProcessTable& table = *last_table_;
  if (!table.started) {
    table.started = true;
    const trace::ProcessInfo& about = trace_->processes()[process];
    started_.insert(about.number);
    if (const auto snapshot = forked_.find(about.number); snapshot != forked_.end()) {
      inherit(table, process, snapshot->second);
      forked_.erase(snapshot);
    } else if (about.parent >= 0) {
      inherit(table, process, processes_[static_cast<std::uint32_t>(about.parent)]);
    }
  }
  const ProcessClock& clock = clocks_->of(process);
  Call call{process, stream, &record, &info, &reader, &table, clock.at(record.start_ns), 0};
  call.end_ns = call.start_ns + static_cast<std::int64_t>(record.duration_ns);
  table.last = call.event();
  table.last_ns = call.end_ns;
  if (info.metadata) {
    const auto function = static_cast<std::uint32_t>(record.function - functions_);
    if (record.depth == 0)
      ++out_.metadata[{function, Library::none}];
    else
      hold(call, Pending::What::metadata, function);
  }
  if (info.opens_ring && !record.failed()) ++out_.rings;
  if (info.in_mpi) ++table.turn;
  if (info.action != Action::nothing)
    act(call);
  else if (record.moves != 0 && !info.in_mpi)
    ++out_.unfollowed;
  if (pending_ > 0) settle_pending(call);
}

void Follower::hold(const Call& call, Pending::What what, std::size_t index) {
  if (call.record->depth == 0) return;
  std::vector<Pending>& all = call.table->pending[call.stream];
  const auto deeper = static_cast<std::ptrdiff_t>(inside(call).size());
  all.insert(all.end() - deeper, {what, static_cast<std::uint32_t>(index), call.record->depth});
  ++pending_;
}

std::span<Pending> Follower::inside(const Call& call) {
  std::vector<Pending>& all = call.table->pending[call.stream];
  std::size_t first = all.size();
  while (first > 0 && all[first - 1].depth > call.record->depth) --first;
  return std::span(all).subspan(first);
}

// The calls made inside this one are known to be MPI's, or the program's.
void Follower::settle_pending(const Call& call) {
  const std::span<Pending> settling = inside(call);
  std::size_t kept = 0;
  for (const Pending& one : settling) {
    // An outer call that is not a library's itself may still stand in one that is.
    const bool settled =
        one.what == Pending::What::metadata ? call.info->library != Library::none : call.info->in_mpi;
    if (!settled && call.record->depth > 0) {
      settling[kept] = one;
      settling[kept++].depth = call.record->depth;
      continue;
    }
    switch (one.what) {
      case Pending::What::opening:
        out_.openings[one.index].in_mpi = call.info->in_mpi;
        break;
      case Pending::What::change:
        out_.changes[one.index].in_mpi = call.info->in_mpi;
        break;
      case Pending::What::metadata:
        ++out_.metadata[{one.index, call.info->library}];
        break;
      case Pending::What::request:
        break;  // the call has taken it, if it is MPI's
    }
  }
  const std::size_t gone = settling.size() - kept;
  std::vector<Pending>& all = call.table->pending[call.stream];
  all.resize(all.size() - gone);
  pending_ -= gone;
  if (pending_ == 0) inner_requests_.clear();
}

void Follower::act(const Call& call) {
  const bool failed = call.record->failed();
  const bool unfinished = call.record->result.kind == trace::Value::Kind::unfinished;
  switch (call.info->action) {  // those that also matter when they fail
    case Action::replace_program:
      if (unfinished) call.table->replaced = true;
      return;
    case Action::close:
      if (!unfinished) close(call, Operation::close);  // EINTR and EIO close it too
      return;
    case Action::close_stream:
      if (!unfinished) close(call, Operation::fclose);
      return;
    case Action::end_request:
      if (!unfinished) end_request(call);
      return;
    case Action::begin_requests:
      return begin_requests(call);  // one of the list may fail, or be interrupted, and others go on
    case Action::transfer_stream:
      if (failed) miss_stream(call);
      break;
    case Action::look_up:
    case Action::open:
    case Action::open_stream:
      if (failed && call.record->result.number == 2) note_name(call, NameChange::Kind::miss);  // ENOENT
      break;
    default:
      break;
  }
  if (failed || unfinished) return;
  switch (call.info->action) {
    case Action::open:
      return open(call, false);
    case Action::open_stream:
      return open(call, true);
    case Action::make_stream:
      return make_stream(call);
    case Action::reopen:
      close(call, Operation::fclose);
      return open(call, true);
    case Action::duplicate:
      return duplicate(call, call.argument(call.info->handle));
    case Action::close_numbers:
      return close_numbers(call);
    case Action::close_streams:
      return close_streams(call);
    case Action::transfer:
      return transfer(call);
    case Action::transfer_at:
      return transfer_at(call);
    case Action::transfer_stream:
      return transfer_stream(call);
    case Action::copy:
      return copy(call);
    case Action::begin_request:
      return begin_request(call);
    case Action::seek:
    case Action::tell_stream:
      return seek(call);
    case Action::seek_stream:
    case Action::rewind_stream:
      return seek_stream(call);
    case Action::lose_position:
      if (Slot* const slot = slot_of(call, call.argument(call.info->handle)); slot != nullptr)
        out_.uses[slot->use].guessed = true;
      return;
    case Action::push_back:
      if (Slot* const slot = slot_of(call, call.argument(call.info->handle)); slot != nullptr)
        --descriptions_[slot->description].position;
      return;
    case Action::flush_stream:
      return flush(call);
    case Action::set_buffer:
      if (Slot* const slot = slot_of(call, call.argument(call.info->handle)); slot != nullptr) {
        const trace::Value& buffer = call.argument(1);
        const bool by_mode = call.record->arguments.size() > 2;
        slot->unbuffered = by_mode ? call.argument(2).number == 2  // _IONBF
                                   : buffer.kind == trace::Value::Kind::null;
      }
      return;
    case Action::control:
      return control(call);
    case Action::sync_data:
      if (Slot* const slot = slot_of(call, call.argument(call.info->handle)); slot != nullptr) {
        const bool whole = call.record->function->means == "fsync";
        sync(call, slot->use,
             consistency::Operations{whole ? Operation::fsync : Operation::fdatasync}.bits());
      }
      return;
    case Action::sync_all:
      if (call.info->handle < 0)
        return sync_all(call, consistency::Operations{Operation::sync}.bits(), false);
      // syncfs(): what else lies in the same file system is not known.
      if (const Slot* const slot = slot_of(call, call.argument(call.info->handle)); slot != nullptr)
        sync(call, slot->use, consistency::Operations{Operation::sync}.bits());
      return;
    case Action::truncate_name:
    case Action::truncate:
      return truncate(call);
    case Action::allocate:
      return allocate(call);
    case Action::map:
      return map(call);
    case Action::unmap:
      return unmap(call);
    case Action::sync_map:
      return sync_map(call);
    case Action::move_map:
      return move_map(call);
    case Action::fork:
      if (call.result() > 0) forked_[call.result()] = *call.table;
      return;
    case Action::vfork:  // it returns when the child has gone on: mostly with what it was left
      if (!started_.contains(call.result())) forked_[call.result()] = *call.table;
      return;
    case Action::rename:
    case Action::link:
    case Action::soft_link:
      return rename(call);
    case Action::remove_name:
    case Action::mpi_delete:
      return note_name(call, NameChange::Kind::remove);
    case Action::make_directory:
      return note_name(call, NameChange::Kind::make_directory);
    case Action::look_up:
      return note_name(call, NameChange::Kind::look_up);
    case Action::list_names:
      return note_name(call, NameChange::Kind::list);
    case Action::change_mode:
      return change_mode(call);
    default:
      return act_mpi(call);
  }
}

void Follower::end(std::uint32_t process) {
  ProcessTable& table = processes_[process];
  if (table.streams_left == 0 || --table.streams_left > 0 || table.replaced) return;
  // Some time behind its last record.
  const auto leave = [&](std::uint32_t use, std::uint32_t operations, std::uint16_t buffer) {
    out_.uses[use].syncs.push_back(
        {{table.last.record + 1, table.last_ns, table.last_ns, table.last.thread, operations, buffer},
         table.place++});
  };
  for (Slot& slot : table.slots) {
    if (!slot.open || slot.use == kNone) continue;
    const Operation how = slot.stream ? Operation::fclose : Operation::close;
    leave(slot.use, consistency::Operations{how}.bits() | SyncPoint::kFlushes, slot.buffer);
    slot.open = false;
  }
  for (const auto& [address, mapping] : table.mappings)
    if (mapping.use != kNone) leave(mapping.use, SyncPoint::kFlushes, mapping.buffer);
  table.mappings.clear();
}

}  // namespace weir::semantics::detail
