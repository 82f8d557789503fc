#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "semantics/detail/far.hpp"
#include "semantics/detail/follower.hpp"

namespace weir::semantics::detail {

using consistency::Operation;
using consistency::Operations;
using trace::Value;

namespace {

// The request that a call made; null where it made none.
const Value* request_of(const trace::Record& record) {
  for (std::size_t i = 0; i < record.arguments.size(); ++i)
    if (record.function->arguments[i].role == Role::request) return &record.arguments[i];
  return nullptr;
}

}  // namespace

void Follower::mpi_open(const Call& call) {
  const Value* opened = nullptr;
  for (const Value& value : call.record->arguments)
    if (value.kind == Value::Kind::opened) opened = &value;
  if (opened == nullptr) return;
  constexpr std::int64_t kCreate = 1;  // MPI_MODE_CREATE and MPI_MODE_EXCL of Open MPI and of MPICH
  constexpr std::int64_t kExclusive = 64;
  constexpr std::int64_t kAppend = 128;  // MPI_MODE_APPEND: where the position is then is not in the trace
  const std::uint32_t opening = add_opening(call, path_of(call, call.info->path, -1));
  Opening& made = out_.openings[opening];
  const std::int64_t mode = call.argument(call.info->flags).number;
  made.by_mpi = true;
  made.creates = (mode & kCreate) != 0;
  made.exclusive = (mode & kExclusive) != 0;
  fill(call, *opened, opening, false);
  Slot& slot = call.table->slot(opened->handle);
  slot.number = -1;
  MpiFile& file = call.table->mpi_files[opened->handle];
  file = {};
  file.position_known = (mode & kAppend) == 0;
  // MPI has opened the file itself: its POSIX calls tell which bytes.
  for (const std::vector<Pending>& stream : call.table->pending)
    file.seen_below = file.seen_below || std::any_of(stream.begin(), stream.end(), [&](const Pending& one) {
                        return one.what == Pending::What::opening && one.index != opening &&
                               out_.openings[one.index].path == made.path;
                      });
  if (slot.use != kNone) sync(call, slot.use, Operations{Operation::mpi_open}.bits());
}

void Follower::mpi_close(const Call& call) {
  const Value& handle = call.argument(call.info->handle);
  Slot* const slot = slot_of(call, handle);
  if (slot == nullptr) return;
  sync(call, slot->use, Operations{Operation::mpi_close}.bits());
  slot->open = false;
  call.table->mpi_files.erase(handle.handle);
}

void Follower::mpi_view(const Call& call) {
  MpiFile& file = call.table->mpi_files[call.argument(call.info->handle).handle];
  const DatatypePointer etype = call.table->datatypes.find(call.argument(2));
  file.view.displacement = call.argument(1).number;
  file.view.filetype = call.table->datatypes.find(call.argument(3));
  file.view.etype_bytes = etype == nullptr ? 1 : etype->size;
  file.view_known = etype != nullptr && file.view.filetype != nullptr;
  file.position = 0;
  file.position_known = true;
}

void Follower::mpi_seek(const Call& call) {
  MpiFile& file = call.table->mpi_files[call.argument(call.info->handle).handle];
  if (call.info->action == Action::mpi_tell) {
    const Value& told = call.argument(1);
    if (told.kind != Value::Kind::number) return;
    file.position = told.number;
    file.position_known = true;
    return;
  }
  // MPI_SEEK_SET, CUR and END of both libraries: 600, 602, 604.
  constexpr std::int64_t kFromHere = 602;
  constexpr std::int64_t kFromEnd = 604;
  const std::int64_t whence = call.argument(2).number;
  if (whence != kFromHere) file.position_known = whence != kFromEnd;
  file.position = call.argument(1).number + (whence == kFromHere ? file.position : 0);
}

void Follower::mpi_transfer(const Call& call) {
  const Value& handle = call.argument(call.info->handle);
  Slot* const slot = slot_of(call, handle);
  if (slot == nullptr) return;
  ++out_.data_calls;
  MpiFile& file = call.table->mpi_files[handle.handle];
  if (file.seen_below) return mpi_begin_inside(call);
  const DatatypePointer type = call.table->datatypes.find(call.argument(call.info->datatype));
  const bool explicit_offset = call.info->offset >= 0;
  if (type == nullptr || !file.view_known || (!explicit_offset && !file.position_known) ||
      call.info->shared) {
    ++out_.untyped;
    file.position_known = file.position_known && (explicit_offset || call.info->shared);
    return;
  }
  const std::int64_t bytes = times(call.argument(call.info->count).number, type->size);
  const std::int64_t at = explicit_offset ? call.argument(call.info->offset).number : file.position;
  const std::uint16_t buffer = mpi_begin(call, slot->use, file);
  const std::uint8_t flags =
      Access::kMpiIo | (call.info->moves > 0 ? Access::kWrite : 0) | (buffer != 0 ? Access::kDelayed : 0);
  const auto ranges = file.view.ranges(at, bytes);
  if (!ranges) {
    ++out_.untyped;
    file.position_known = file.position_known && explicit_offset;
    return;
  }
  for (const Datatype::Run& run : *ranges)
    add(call, slot->use, run.at, run.at + run.bytes, static_cast<std::uint8_t>(flags), buffer);
  if (!explicit_offset && file.view.etype_bytes > 0) file.position += bytes / file.view.etype_bytes;
}

// What a later call completes happens any time until then. 0: it is complete when it returns.
std::uint16_t Follower::mpi_begin(const Call& call, std::uint32_t use, MpiFile& file) {
  const auto next = [&] { return ++call.table->buffers == 0 ? ++call.table->buffers : call.table->buffers; };
  if (call.info->action == Action::mpi_begin_split) return file.split = next();
  const Value* const request = request_of(*call.record);
  if (request == nullptr) return 0;
  const std::uint16_t buffer = next();
  if (request->kind == Value::Kind::object) call.table->mpi_requests[request->number] = {use, buffer, {}};
  return buffer;
}

// MPI asked the C library for it: at the latest when the request is complete, that is done as well. MPI
// learns of it inside any of its calls, most of which are not looked into.
void Follower::mpi_begin_inside(const Call& call) {
  const Value* const request = request_of(*call.record);
  if (request == nullptr || request->kind != Value::Kind::object) return;
  MpiRequest made;
  for (const Pending& one : inside(call))
    if (one.what == Pending::What::request) made.inside.push_back(inner_requests_[one.index]);
  call.table->mpi_requests[request->number] = std::move(made);
}

void Follower::mpi_complete(const Call& call) {
  auto& open = call.table->mpi_requests;
  if (open.empty()) return;
  const auto argument = [&](std::initializer_list<std::string_view> names) -> const Value* {
    for (std::size_t i = 0; i < call.record->arguments.size(); ++i)
      for (const std::string_view name : names)
        if (call.record->function->arguments[i].name == name) return &call.record->arguments[i];
    return nullptr;
  };
  const Value* const flag = argument({"flag"});
  const Value* const requests = argument({"request", "requests"});
  if (requests == nullptr || (flag != nullptr && flag->number == 0)) return;
  const bool ends = call.record->function->means != "MPI_Request_get_status";  // which only looks
  const auto complete = [&](std::int64_t request) {
    const auto found = open.find(request);
    if (found == open.end()) return;
    const MpiRequest& made = found->second;
    if (made.use != kNone) sync(call, made.use, SyncPoint::kFlushes, made.buffer);
    for (const InnerRequest& one : made.inside) {
      const auto inner = call.table->requests.find(one.address);
      if (inner == call.table->requests.end() || inner->second.buffer != one.buffer) continue;
      if (!inner->second.complete) sync(call, inner->second.use, SyncPoint::kFlushes, one.buffer);
      call.table->requests.erase(inner);
    }
    if (ends) open.erase(found);
  };
  const auto complete_at = [&](std::int64_t index) {
    if (index < 0 || static_cast<std::uint64_t>(index) >= requests->items.size()) return;
    const trace::ListItem& item = requests->items[static_cast<std::size_t>(index)];
    if (item.kind == trace::ListItem::Kind::number) complete(item.number);
  };
  if (requests->kind == Value::Kind::object) return complete(requests->number);
  if (const Value* const index = argument({"index"})) {
    if (index->kind == Value::Kind::number) complete_at(index->number);
    return;
  }
  if (const Value* const indices = argument({"indices"})) {
    for (const trace::ListItem& item : indices->items)
      if (item.kind == trace::ListItem::Kind::number) complete_at(item.number);
    return;
  }
  for (std::size_t i = 0; i < requests->items.size(); ++i) complete_at(static_cast<std::int64_t>(i));
}

void Follower::act_mpi(const Call& call) {
  switch (call.info->action) {
    case Action::mpi_open:
      return mpi_open(call);
    case Action::mpi_close:
      return mpi_close(call);
    case Action::mpi_sync:
      if (const Slot* const slot = slot_of(call, call.argument(call.info->handle)); slot != nullptr)
        sync(call, slot->use, Operations{Operation::mpi_sync}.bits());
      return;
    case Action::mpi_view:
      return mpi_view(call);
    case Action::mpi_seek:
    case Action::mpi_tell:
      return mpi_seek(call);
    case Action::mpi_transfer:
    case Action::mpi_begin_split:
      return mpi_transfer(call);
    case Action::mpi_end_split:
      if (const Slot* const slot = slot_of(call, call.argument(call.info->handle)); slot != nullptr) {
        std::uint16_t& split = call.table->mpi_files[call.argument(call.info->handle).handle].split;
        if (split != 0) sync(call, slot->use, SyncPoint::kFlushes, split);
        split = 0;
      }
      return;
    case Action::mpi_complete:
      return mpi_complete(call);
    case Action::mpi_resize:
      if (const Slot* const slot = slot_of(call, call.argument(call.info->handle)); slot != nullptr)
        cut_off(call, slot->use, call.argument(1).number, Access::kMpiIo);
      return;
    case Action::make_type:
      return call.table->datatypes.make(*call.record);
    case Action::free_type:
      return call.table->datatypes.free(call.argument(0));
    default:
      return;
  }
}

}  // namespace weir::semantics::detail
