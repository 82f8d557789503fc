#include <algorithm>

#include "semantics/detail/far.hpp"
#include "semantics/detail/follower.hpp"

namespace weir::semantics::detail {

using consistency::Operation;
using consistency::Operations;
using trace::Value;

void Follower::mpi_open(const Call& call) {
  const Value* opened = nullptr;
  for (const Value& value : call.record->arguments)
    if (value.kind == Value::Kind::opened) opened = &value;
  if (opened == nullptr) return;
  constexpr std::int64_t kCreate = 1;  // MPI_MODE_CREATE and MPI_MODE_EXCL of Open MPI and of MPICH
  constexpr std::int64_t kExclusive = 64;
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
  // MPI has opened the file itself: its POSIX calls tell which bytes.
  file.seen_below = std::any_of(pending_.begin(), pending_.end(), [&](const Pending& one) {
    return one.what == Pending::What::opening && one.process == call.process && one.index != opening &&
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
  if (file.seen_below) return;
  const DatatypePointer type = call.table->datatypes.find(call.argument(call.info->datatype));
  const bool explicit_offset = call.info->offset >= 0;
  if (type == nullptr || !file.view_known || (!explicit_offset && !file.position_known) ||
      call.info->shared) {
    ++out_.untyped;
    return;
  }
  const std::int64_t bytes = times(call.argument(call.info->count).number, type->size);
  const std::int64_t at = explicit_offset ? call.argument(call.info->offset).number : file.position;
  const std::uint8_t flags = Access::kMpiIo | (call.info->moves > 0 ? Access::kWrite : 0);
  const auto ranges = file.view.ranges(at, bytes);
  if (!ranges) {
    ++out_.untyped;
    file.position_known = file.position_known && explicit_offset;
    return;
  }
  for (const Datatype::Run& run : *ranges)
    add(call, slot->use, run.at, run.at + run.bytes, static_cast<std::uint8_t>(flags));
  if (!explicit_offset && file.view.etype_bytes > 0) file.position += bytes / file.view.etype_bytes;
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
