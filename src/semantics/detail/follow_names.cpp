#include "semantics/detail/file_name.hpp"
#include "semantics/detail/follower.hpp"
#include "trace/records.hpp"

namespace weir::semantics::detail {

using consistency::Operation;
using consistency::Operations;
using trace::Value;

std::string Follower::path_of(const Call& call, std::int8_t path, std::int8_t directory) const {
  if (path < 0 || call.argument(path).kind != Value::Kind::path) return {};
  std::string_view under = call.reader->directory();
  if (directory >= 0 && call.argument(directory).kind == Value::Kind::handle)
    under = call.argument(directory).text;
  std::string name;
  trace::append_absolute(name, without_file_system(call.argument(path).text), under);
  return normal_name(name);
}

void Follower::sync(const Call& call, std::uint32_t use, std::uint32_t operations, std::uint16_t buffer) {
  out_.uses[use].syncs.push_back(
      {{call.record->index, call.start_ns, call.end_ns, call.stream, operations, buffer},
       call.table->place++});
}

void Follower::sync_all(const Call& call, std::uint32_t operations, bool streams_only) {
  for (const Slot& slot : call.table->slots)
    if (slot.open && slot.use != kNone && (slot.stream || !streams_only))
      sync(call, slot.use, operations, slot.buffer);
}

void Follower::flush(const Call& call) {
  const std::uint32_t operations = Operations{Operation::fflush}.bits() | SyncPoint::kFlushes;
  const Value& stream = call.argument(call.info->handle);
  if (stream.kind == Value::Kind::null) return sync_all(call, operations, true);
  if (Slot* const slot = slot_of(call, stream); slot != nullptr) {
    slot->ahead_to = slot->ahead_from;  // what was read is forgotten
    sync(call, slot->use, operations, slot->buffer);
  }
}

// Taking away all write permission laminates a file.
void Follower::change_mode(const Call& call) {
  constexpr std::int64_t kWritable = 0222;
  std::int64_t mode = kWritable;
  for (std::size_t i = 0; i < call.record->arguments.size(); ++i)
    if (call.record->function->arguments[i].role == Role::mode) mode = call.record->arguments[i].number;
  if ((mode & kWritable) != 0) return;
  if (call.info->handle >= 0) {
    if (const Slot* const slot = slot_of(call, call.argument(call.info->handle)); slot != nullptr)
      sync(call, slot->use, Operations{Operation::laminate}.bits());
    return;
  }
  const std::uint32_t opening = add_opening(call, path_of(call, call.info->path, call.info->directory));
  out_.openings[opening].only_named = true;
  const std::uint32_t use = use_of(*call.table, call.process, opening);
  if (use != kNone) sync(call, use, Operations{Operation::laminate}.bits());
}

void Follower::note(const Call& call, NameChange change) {
  change.event = call.event();
  change.start_ns = call.start_ns;
  change.end_ns = call.end_ns;
  hold(call, Pending::What::change, out_.changes.size());
  out_.changes.push_back(std::move(change));
}

void Follower::rename(const Call& call) {
  NameChange change;
  change.path = path_of(call, call.info->path, call.info->directory);
  if (call.info->action == Action::soft_link) {
    change.kind = NameChange::Kind::soft_link;
    const std::string folder = change.path.substr(0, change.path.rfind('/') + 1);
    std::string target;
    trace::append_absolute(target, call.argument(0).text, folder);
    change.other = normal_name(target);
  } else {
    constexpr std::int64_t kExchange = 2;  // RENAME_EXCHANGE
    const bool exchanges = call.record->function->means == "renameat2" && call.info->flags >= 0 &&
                           (call.argument(call.info->flags).number & kExchange) != 0;
    change.kind = call.info->action == Action::link ? NameChange::Kind::link
                  : exchanges                       ? NameChange::Kind::exchange
                                                    : NameChange::Kind::rename;
    change.other = path_of(call, call.info->second_path, call.info->second_directory);
  }
  if (!change.path.empty() && !change.other.empty()) note(call, std::move(change));
}

void Follower::note_name(const Call& call, NameChange::Kind kind) {
  NameChange change;
  change.kind = kind;
  change.path = path_of(call, call.info->path, call.info->directory);
  if (names_a_file(change.path)) note(call, std::move(change));
}

// What was behind the new end is gone, and the size is another.
void Follower::cut_off(const Call& call, std::uint32_t use, std::int64_t length, std::uint8_t flags) {
  add(call, use, length, INT64_MAX, flags | Access::kWrite | Access::kTruncates);
  NameChange change;
  change.kind = NameChange::Kind::resize;
  change.path = out_.openings[out_.uses[use].opening].path;
  note(call, std::move(change));
}

}  // namespace weir::semantics::detail
