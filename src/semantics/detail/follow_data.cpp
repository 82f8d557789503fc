#include <algorithm>
#include <cerrno>
#include <cstring>

#include <aio.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include "semantics/detail/far.hpp"
#include "semantics/detail/file_name.hpp"
#include "semantics/detail/follower.hpp"

namespace weir::semantics::detail {

using trace::Value;

namespace {

// pwritev2(RWF_APPEND).
bool asks_to_append(const trace::Record& record, const CallInfo& info) {
  constexpr std::int64_t kAppend = 16;
  return record.function->means == "pwritev2" && info.flags >= 0 &&
         (record.arguments[static_cast<std::size_t>(info.flags)].number & kAppend) != 0;
}

// What stdio reads or writes at a time where the trace does not tell how far a call went (fscanf).
constexpr std::int64_t kStreamBlock = 4096;

// What fread asked for and did not get.
std::int64_t bytes_short(const trace::Record& record) {
  const trace::Shape& shape = record.function->shape;
  if (shape.result != Role::count || shape.bytes < 0 || shape.items < 0) return 0;
  const Value& size = record.arguments[static_cast<std::size_t>(shape.bytes)];
  const Value& items = record.arguments[static_cast<std::size_t>(shape.items)];
  if (size.kind != Value::Kind::number || items.kind != Value::Kind::number) return 0;
  return record.result.number < items.number ? times(size.number, items.number - record.result.number) : 0;
}

}  // namespace

void Follower::add(const Call& call, std::uint32_t use, std::int64_t begin, std::int64_t end,
                   std::uint8_t flags, std::uint16_t buffer) {
  Access access;
  access.begin = begin;
  access.end = end;
  access.start_ns = call.start_ns;
  access.end_ns = call.end_ns;
  access.record = call.record->index;
  access.thread = call.stream;
  access.member = call.process;
  access.syncs = call.table->place++;
  access.flags = flags;
  access.buffer = buffer;
  out_.uses[use].accesses.push_back(access);
}

// At the position of the description, which moves on.
void Follower::move(const Call& call, Slot& slot, int direction, std::int64_t bytes, std::uint8_t flags) {
  Description& description = descriptions_[slot.description];
  if (direction > 0) flags |= Access::kWrite;
  if (direction > 0 && description.append) {
    add(call, slot.use, 0, bytes, flags | Access::kFromEnd | Access::kAtEnd, slot.buffer);
    description.from_end = true;
    description.position = 0;
    return;
  }
  const std::int64_t begin = description.position;
  if (description.from_end) flags |= Access::kFromEnd;
  add(call, slot.use, begin, begin + bytes, flags, slot.buffer);
  description.position += bytes;
  // Behind the end a write takes the end along.
  if (description.from_end && direction > 0 && description.position > 0) description.position = 0;
}

void Follower::transfer(const Call& call) {
  Slot* const slot = slot_of(call, call.argument(call.info->handle));
  if (slot == nullptr) return;
  ++out_.data_calls;
  if (call.result() > 0) move(call, *slot, call.info->moves, call.result(), 0);
  const Description& description = descriptions_[slot->description];
  miss(call, *slot, description.position, call.result(), description.from_end);
}

// A read that came back short asked for bytes that were not there: it depends on nobody writing them before.
void Follower::miss(const Call& call, const Slot& slot, std::int64_t at, std::int64_t got, bool from_end) {
  const std::int8_t bytes = call.record->function->shape.bytes;
  if (call.info->moves > 0 || bytes < 0 || call.argument(bytes).kind != Value::Kind::number) return;
  const std::int64_t rest = call.argument(bytes).number - got;
  if (rest > 0 && at <= INT64_MAX - rest)
    add(call, slot.use, at, at + rest, Access::kMissed | (from_end ? Access::kFromEnd : 0));
}

void Follower::transfer_at(const Call& call) {
  Slot* const slot = slot_of(call, call.argument(call.info->handle));
  if (slot == nullptr) return;
  ++out_.data_calls;
  const std::int64_t bytes = call.result();
  const std::int64_t offset = call.argument(call.info->offset).number;
  if (offset >= 0) miss(call, *slot, offset + bytes, bytes, false);
  if (bytes <= 0) return;
  const bool writes = call.info->moves > 0;
  Description& description = descriptions_[slot->description];
  // Linux appends whatever the offset is, when the file was opened so; -1 stands for the position.
  if (writes && (description.append || asks_to_append(*call.record, *call.info))) {
    add(call, slot->use, 0, bytes, Access::kWrite | Access::kFromEnd | Access::kAtEnd);
    if (offset != -1) return;
    description.from_end = true;
    description.position = 0;
    return;
  }
  if (offset == -1) return move(call, *slot, call.info->moves, bytes, 0);
  add(call, slot->use, offset, offset + bytes, writes ? Access::kWrite : 0);
}

// Of printf, getchar and their like, which name no stream: a file where a shell has put one behind the
// descriptor.
Slot* Follower::standard_stream(const Call& call) {
  const bool on_error = call.record->function->means == "perror";
  const std::int32_t number = on_error ? STDERR_FILENO : call.info->moves > 0 ? STDOUT_FILENO : STDIN_FILENO;
  for (std::vector<Slot>* const list : {&call.table->slots, &call.table->inherited})
    for (Slot& slot : *list)
      if (slot.open && slot.number == number && slot.use != kNone) return &slot;
  return nullptr;
}

// A stream reads a block at a time: what it hands out later it may have read before others wrote it.
void Follower::note_ahead(const Call& call, Slot& slot, std::int64_t bytes) {
  const Description& description = descriptions_[slot.description];
  const std::int64_t at = description.position;
  if (slot.unbuffered || description.from_end || is_far(at) || is_far(bytes)) return;
  if (at >= slot.ahead_from && at < slot.ahead_to && slot.ahead_turn != call.table->turn)
    out_.uses[slot.use].read_ahead = true;
  if (at >= slot.ahead_from && at + bytes <= slot.ahead_to) return;
  slot.ahead_from = at;
  slot.ahead_to = at + (bytes + kStreamBlock - 1) / kStreamBlock * kStreamBlock;
  slot.ahead_turn = call.table->turn;
}

Slot* Follower::stream_of(const Call& call) {
  return call.info->handle < 0 ? standard_stream(call) : slot_of(call, call.argument(call.info->handle));
}

// A stream that found the end had asked for a block behind it, or for more: it depends on nobody writing that
// before.
void Follower::miss_block(const Call& call, const Slot& slot, std::int64_t bytes) {
  const Description& description = descriptions_[slot.description];
  if (is_far(bytes) || is_far(description.position)) return;
  add(call, slot.use, description.position, description.position + std::max(bytes, kStreamBlock),
      Access::kMissed | (description.from_end ? Access::kFromEnd : 0));
}

// Mostly at the end; errno does not tell, but for a stream that is not for reading.
void Follower::miss_stream(const Call& call) {
  if (call.info->moves > 0 || call.record->result.number == EBADF) return;
  if (const Slot* const slot = stream_of(call); slot != nullptr) miss_block(call, *slot, 0);
}

void Follower::transfer_stream(const Call& call) {
  Slot* const slot = stream_of(call);
  if (slot == nullptr) return;
  ++out_.data_calls;
  using Moved = trace::Function::Moved;
  const Moved how = call.record->function->moved;
  const bool writes = call.info->moves > 0;
  std::uint8_t flags = 0;
  if (writes && !slot->unbuffered && slot->number != STDERR_FILENO) flags |= Access::kDelayed;
  // A program that fills or empties the buffer itself comes here once for each.
  const std::int64_t bytes =
      how == Moved::unknown ? kStreamBlock : static_cast<std::int64_t>(trace::least_moved(*call.record));
  if (how == Moved::unknown || how == Moved::at_least) out_.uses[slot->use].guessed = true;
  if (bytes > 0 && !writes) note_ahead(call, *slot, bytes);
  if (bytes > 0) move(call, *slot, call.info->moves, bytes, flags);
  if (const std::int64_t rest = writes ? 0 : bytes_short(*call.record); rest > 0)
    miss_block(call, *slot, rest);
  const bool tells_nothing = call.record->function->result == Role::count && call.result() > 0;  // fscanf
  if (bytes > 0 || !tells_nothing) return;
  out_.uses[slot->use].guessed = true;
  const Description& description = descriptions_[slot->description];
  add(call, slot->use, description.position, description.position + kStreamBlock,
      static_cast<std::uint8_t>(flags | (writes ? Access::kWrite : 0) |
                                (description.from_end ? Access::kFromEnd : 0)),
      slot->buffer);
}

// What the recorder keeps of an aiocb.
struct Follower::AskedFor {
  std::int64_t descriptor = 0;
  std::int64_t operation = 0;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::int64_t address = 0;

  // All that a call was given; none where the trace does not tell.
  static std::vector<AskedFor> of(const trace::Record& record) {
    std::vector<AskedFor> list;
    for (std::size_t i = 0; i < record.arguments.size(); ++i) {
      const std::string_view text = record.arguments[i].text;
      if (record.function->arguments[i].role != Role::request || text.size() % sizeof(AskedFor) != 0)
        continue;
      list.resize(text.size() / sizeof(AskedFor));
      std::memcpy(list.data(), text.data(), text.size());
    }
    return list;
  }
};

// The library moves the data any time until somebody learns that it is done: as what a stream holds back
// until it is flushed.
void Follower::begin_request(const Call& call) {
  const std::vector<AskedFor> asked = AskedFor::of(*call.record);
  if (asked.size() == 1)
    ask(call, asked.front(), call.info->moves > 0, false);
  else
    ++out_.unfollowed;
}

// With LIO_WAIT all is done when the call returns, unless it failed: then nobody knows yet what became of
// each.
void Follower::begin_requests(const Call& call) {
  const trace::Record& record = *call.record;
  if (record.failed() && record.result.number == EINVAL) return;
  const bool complete = call.argument(call.info->flags).number == LIO_WAIT && !record.failed() &&
                        record.result.kind == Value::Kind::number;
  const std::vector<AskedFor> list = AskedFor::of(record);
  for (const AskedFor& asked : list)
    if (asked.operation == LIO_READ || asked.operation == LIO_WRITE)
      ask(call, asked, asked.operation == LIO_WRITE, complete);
  const std::int64_t count = call.argument(call.info->count).number;
  if (count > static_cast<std::int64_t>(list.size()))
    out_.unfollowed += static_cast<std::uint64_t>(count) - list.size();
}

void Follower::ask(const Call& call, const AskedFor& asked, bool writes, bool complete) {
  for (std::vector<Slot>* const list : {&call.table->slots, &call.table->inherited})
    for (const Slot& slot : *list) {
      if (!slot.open || slot.number != asked.descriptor || slot.use == kNone) continue;
      if (asked.bytes < 0 || asked.offset < 0 || asked.offset > INT64_MAX - asked.bytes) return;
      ++out_.data_calls;
      const bool appends = writes && descriptions_[slot.description].append;
      const std::int64_t begin = appends ? 0 : asked.offset;
      const std::uint16_t buffer = complete ? 0 : ++call.table->buffers;
      call.table->requests[asked.address] = {slot.use, out_.uses[slot.use].accesses.size(), buffer, complete};
      add(call, slot.use, begin, begin + asked.bytes,
          static_cast<std::uint8_t>((complete ? 0 : Access::kDelayed) | (writes ? Access::kWrite : 0) |
                                    (appends ? Access::kFromEnd | Access::kAtEnd : 0)),
          buffer);
      if (call.record->depth > 0 && !complete) {
        hold(call, Pending::What::request, inner_requests_.size());
        inner_requests_.push_back({asked.address, buffer});
      }
      return;
    }
}

// aio_error tells that a request is complete, aio_return how many bytes it moved. One that no call here made
// stood at the end of a list that was too long to be recorded.
void Follower::end_request(const Call& call) {
  const bool returns = call.record->function->means == "aio_return";
  const std::int64_t result = call.record->failed() ? -1 : call.result();
  const std::vector<AskedFor> asked = AskedFor::of(*call.record);
  const auto found =
      asked.size() == 1 ? call.table->requests.find(asked.front().address) : call.table->requests.end();
  if (found == call.table->requests.end()) {
    if (returns && result > 0) ++out_.unfollowed;
    return;
  }
  Request& request = found->second;
  if (!returns && result != 0) return;  // EINPROGRESS, or an error that aio_return will tell
  if (!request.complete) sync(call, request.use, SyncPoint::kFlushes, request.buffer);
  request.complete = true;
  if (!returns) return;
  Access& access = out_.uses[request.use].accesses[request.access];
  access.end = std::min(access.end, access.begin + std::max<std::int64_t>(result, 0));
  call.table->requests.erase(found);
}

// The offsets that were given, or else the positions; the recorder kept the offsets as they were before.
void Follower::copy(const Call& call) {
  const std::int64_t bytes = call.result();
  if (bytes <= 0) return;
  const bool sends = call.record->function->means == "sendfile";
  const auto side = [&](std::int8_t handle, std::int8_t offset, int direction) {
    Slot* const slot = slot_of(call, call.argument(handle));
    if (slot == nullptr) return;
    ++out_.data_calls;
    const bool given = offset >= 0 && call.argument(offset).kind == Value::Kind::number;
    if (!given) return move(call, *slot, direction, bytes, 0);
    const std::int64_t at = call.argument(offset).number;
    add(call, slot->use, at, at + bytes, direction > 0 ? Access::kWrite : 0);
  };
  if (sends) {  // to argument 0, from argument 1 at argument 2
    side(1, 2, -1);
    side(0, -1, 1);
  } else {  // from argument 0 at argument 1, to argument 2 at argument 3
    side(0, 1, -1);
    side(2, 3, 1);
  }
}

void Follower::seek_stream(const Call& call) {
  Slot* const slot = slot_of(call, call.argument(call.info->handle));
  if (slot == nullptr) return;
  sync(call, slot->use, SyncPoint::kFlushes, slot->buffer);
  Description& description = descriptions_[slot->description];
  if (call.info->action == Action::rewind_stream) {
    description.position = 0;
    description.from_end = false;
    return;
  }
  const std::int64_t offset = call.argument(call.info->offset).number;
  const std::int64_t whence = call.argument(2).number;
  if (whence == SEEK_CUR) {
    description.position += offset;
    return;
  }
  description.from_end = whence == SEEK_END;
  description.position = offset;
  if (whence == SEEK_END && call.record->depth == 0)
    add(call, slot->use, 0, 0, Access::kMissed | Access::kAtEnd | Access::kFromEnd);
}

void Follower::seek(const Call& call) {
  Slot* const slot = slot_of(call, call.argument(call.info->handle));
  if (slot == nullptr) return;
  Description& description = descriptions_[slot->description];
  description.position = call.result();
  description.from_end = false;
  if (call.info->action != Action::seek || call.record->depth > 0 || call.argument(2).number != SEEK_END)
    return;
  const std::int64_t end = call.result() - call.argument(call.info->offset).number;
  if (end >= 0 && !is_far(end)) add(call, slot->use, end, end, Access::kMissed | Access::kAtEnd);
}

void Follower::truncate(const Call& call) {
  const std::int64_t length = call.argument(1).number;
  std::uint32_t use = kNone;
  if (call.info->action == Action::truncate) {
    const Slot* const slot = slot_of(call, call.argument(call.info->handle));
    if (slot != nullptr) use = slot->use;
  } else {
    const std::uint32_t opening = add_opening(call, path_of(call, call.info->path, call.info->directory));
    out_.openings[opening].only_named = true;
    use = use_of(*call.table, call.process, opening);
  }
  if (use == kNone) return;
  cut_off(call, use, length, 0);
}

void Follower::allocate(const Call& call) {
  const Slot* const slot = slot_of(call, call.argument(call.info->handle));
  if (slot == nullptr) return;
  const bool has_mode = call.record->function->means == "fallocate";
  const std::int64_t mode = has_mode ? call.argument(1).number : 0;
  const std::int64_t offset = call.argument(call.info->offset).number;
  const std::int64_t length = call.argument(static_cast<std::int8_t>(has_mode ? 3 : 2)).number;
  if (is_far(offset) || is_far(length)) return;
  if ((mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) != 0)  // zeros are written
    return add(call, slot->use, offset, offset + length, Access::kWrite);
  if ((mode & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE)) != 0) {
    // All behind it moves, and the end.
    out_.uses[slot->use].guessed = true;
    constexpr std::uint8_t kMoves = Access::kWrite | Access::kTruncates | Access::kMapped;
    return add(call, slot->use, offset, Access::kEverAfter, kMoves);
  }
  if ((mode & FALLOC_FL_KEEP_SIZE) == 0)  // of no bytes: only the size may grow
    add(call, slot->use, offset + length, offset + length, Access::kWrite);
}

void Follower::map(const Call& call) {
  const Slot* const slot = slot_of(call, call.argument(call.info->handle));
  const std::int64_t offset = call.argument(call.info->offset).number;
  const std::int64_t length = call.argument(1).number;
  if (is_far(call.result()) || is_far(offset) || is_far(length)) return;
  const std::int64_t protection = call.argument(2).number;
  const bool shared = (call.argument(3).number & MAP_SHARED) != 0;
  Mapping& mapping = call.table->mappings[call.result()];
  mapping = {slot == nullptr ? kNone : slot->use,
             offset,
             length,
             ++call.table->buffers,
             (protection & PROT_READ) != 0 || !shared,
             (protection & PROT_WRITE) != 0 && shared};
  if (slot == nullptr) return;
  out_.uses[slot->use].mapped = true;
  add_mapped(call, mapping, 0, length);
}

// A part of the mapping may be touched from here on.
void Follower::add_mapped(const Call& call, const Mapping& mapping, std::int64_t begin, std::int64_t end) {
  constexpr std::uint8_t kWhenever = Access::kMapped | Access::kDelayed;
  if (mapping.reads)
    add(call, mapping.use, mapping.offset + begin, mapping.offset + end, kWhenever, mapping.buffer);
  if (mapping.writes)
    add(call, mapping.use, mapping.offset + begin, mapping.offset + end, kWhenever | Access::kWrite,
        mapping.buffer);
}

void Follower::unmap(const Call& call) {
  auto& mappings = call.table->mappings;
  const std::int64_t address = call.argument(0).number;
  const std::int64_t length = call.argument(1).number;
  if (length <= 0) return;
  auto found = mappings.extract(address);
  if (found.empty()) return;
  Mapping& mapping = found.mapped();
  constexpr std::int64_t kPage = 4096;
  if (length < mapping.length && mapping.length - length >= kPage) {  // what is left may still be touched
    const std::int64_t gone = (length + kPage - 1) / kPage * kPage;
    mapping.offset += gone;
    mapping.length -= gone;
    found.key() = address + gone;
    mappings.insert(std::move(found));
  } else if (mapping.use != kNone) {
    sync(call, mapping.use, SyncPoint::kFlushes, mapping.buffer);
  }
}

// Only what waits for the data, and only of all of it.
void Follower::sync_map(const Call& call) {
  const auto found = call.table->mappings.find(call.argument(0).number);
  if (found == call.table->mappings.end() || found->second.use == kNone) return;
  if (call.argument(1).number < found->second.length || (call.argument(2).number & MS_SYNC) == 0) return;
  sync(call, found->second.use, consistency::Operations{consistency::Operation::msync}.bits(),
       found->second.buffer);
}

void Follower::move_map(const Call& call) {
  auto& mappings = call.table->mappings;
  const std::int64_t length = call.argument(2).number;
  if (is_far(call.result()) || is_far(length)) return;
  auto found = mappings.extract(call.argument(0).number);
  if (found.empty()) return;
  Mapping& mapping = found.mapped();
  if (mapping.use != kNone && length > mapping.length) add_mapped(call, mapping, mapping.length, length);
  mapping.length = std::max(mapping.length, length);  // a part of it may have moved only
  found.key() = call.result();
  mappings.insert(std::move(found));
}

}  // namespace weir::semantics::detail
