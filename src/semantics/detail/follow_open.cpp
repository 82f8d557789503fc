#include <algorithm>

#include <fcntl.h>

#include "semantics/detail/file_name.hpp"
#include "semantics/detail/follower.hpp"

namespace weir::semantics::detail {

using consistency::Operation;
using consistency::Operations;
using trace::Value;

namespace {

struct HowOpened {
  bool creates = false;
  bool truncates = false;
  bool exclusive = false;
  bool append = false;
  bool at_end = false;   // the first read too
  bool unnamed = false;  // what is named is the directory
};

HowOpened how_of_flags(std::int64_t flags) {
  HowOpened how;
  how.unnamed = (flags & O_TMPFILE) == O_TMPFILE;  // which holds O_DIRECTORY
  how.creates = (flags & O_CREAT) != 0;
  how.truncates = (flags & O_TRUNC) != 0 && !how.unnamed;
  how.exclusive = (flags & O_EXCL) != 0 && !how.unnamed;  // there: it never gets a name
  how.append = (flags & O_APPEND) != 0;
  return how;
}

HowOpened how_of_mode(std::string_view mode) {
  HowOpened how;
  how.truncates = mode.starts_with('w');
  how.append = mode.starts_with('a');
  how.at_end = how.append && mode.find('+') == std::string_view::npos;
  how.creates = how.truncates || how.append;
  how.exclusive = mode.find('x') != std::string_view::npos;
  return how;
}

HowOpened how_opened(const trace::Record& record, const CallInfo& info) {
  const std::string_view name = record.function->means;
  if (name == "creat") return how_of_flags(O_CREAT | O_TRUNC);
  if (name.starts_with("mks") || name.starts_with("mkos") || name == "tmpfile")
    return how_of_flags(O_CREAT | O_EXCL);
  for (std::size_t i = 0; i < record.arguments.size(); ++i)
    if (record.function->arguments[i].role == Role::text) return how_of_mode(record.arguments[i].text);
  if (info.flags < 0) return {};
  return how_of_flags(record.arguments[static_cast<std::size_t>(info.flags)].number);
}

// Not a stream made of it: that finds out for itself.
bool is_descriptor(const Slot& slot, std::int32_t number) {
  return slot.open && slot.number == number && !slot.stream;
}

void forget_descriptor(ProcessTable& table, std::int32_t number) {
  for (Slot& slot : table.slots)
    if (is_descriptor(slot, number)) slot.open = false;
}

}  // namespace

std::uint32_t Follower::add_opening(const Call& call, std::string path) {
  Opening opening;
  opening.not_a_file = !names_a_file(path);
  opening.path = std::move(path);
  opening.event = call.event();
  opening.start_ns = call.start_ns;
  opening.end_ns = call.end_ns;
  out_.openings.push_back(std::move(opening));
  const auto index = static_cast<std::uint32_t>(out_.openings.size() - 1);
  hold(call, Pending::What::opening, index);
  return index;
}

std::uint32_t Follower::use_of(ProcessTable& table, std::uint32_t process, std::uint32_t opening) {
  if (opening == kNone || out_.openings[opening].not_a_file) return kNone;
  const auto [found, fresh] = table.uses.emplace(opening, static_cast<std::uint32_t>(out_.uses.size()));
  if (fresh) {
    out_.uses.emplace_back();
    out_.uses.back().process = process;
    out_.uses.back().opening = opening;
  }
  return found->second;
}

// Puts a new description behind the handle.
void Follower::fill(const Call& call, const Value& opened, std::uint32_t opening, bool stream) {
  Slot& slot = call.table->slot(opened.handle);
  slot = {};
  slot.description = static_cast<std::uint32_t>(descriptions_.size());
  descriptions_.push_back({opening, 0, false, false});
  slot.use = use_of(*call.table, call.process, opening);
  slot.number = static_cast<std::int32_t>(opened.number);
  slot.open = true;
  slot.stream = stream;
  if (stream) slot.buffer = ++call.table->buffers;
}

void Follower::open(const Call& call, bool stream) {
  const Value& opened = call.record->result;
  const bool followed = opened.kind == Value::Kind::opened;
  // A vforked child has handles of its own by their numbers only.
  if (!followed && (opened.kind != Value::Kind::number || stream)) return;
  const HowOpened how = how_opened(*call.record, *call.info);
  const std::uint32_t opening = add_opening(
      call, followed ? normal_name(opened.text) : path_of(call, call.info->path, call.info->directory));
  Opening& made = out_.openings[opening];
  made.creates = how.creates;
  made.exclusive = how.exclusive;
  made.unnamed = how.unnamed;
  if (followed) {
    fill(call, opened, opening, stream);
    descriptions_.back().append = how.append;
    descriptions_.back().from_end = how.at_end;
  }
  const std::uint32_t use =
      followed ? call.table->slot(opened.handle).use : use_of(*call.table, call.process, opening);
  if (use == kNone) return;
  // The open comes before what it cuts off: a reader of the old content has opened it as well.
  sync(call, use, Operations{stream ? Operation::fopen : Operation::open}.bits());
  if (how.truncates && !(how.creates && how.exclusive)) cut_off(call, use, 0, 0);
}

void Follower::make_stream(const Call& call) {
  const Value& opened = call.record->result;
  if (opened.kind != Value::Kind::opened) return;
  const Slot* const below = slot_of(call, call.argument(call.info->handle));
  if (below == nullptr) return;
  Slot slot = *below;
  slot.stream = true;
  slot.buffer = ++call.table->buffers;
  slot.number = static_cast<std::int32_t>(opened.number);
  const HowOpened how = how_opened(*call.record, *call.info);
  if (how.append) {  // the C library sets it for the descriptor, too
    descriptions_[slot.description].append = true;
    descriptions_[slot.description].from_end = true;
    descriptions_[slot.description].position = 0;
  }
  call.table->slot(opened.handle) = slot;
}

// dup2() closes what had the descriptor.
void Follower::replace(const Call& call, std::int32_t number) {
  for (const Slot& other : call.table->slots)
    if (is_descriptor(other, number) && other.use != kNone)
      sync(call, other.use, Operations{Operation::close}.bits());
  forget_descriptor(*call.table, number);
}

void Follower::duplicate(const Call& call, const Value& original) {
  const Value& opened = call.record->result;
  // A copy of what is not in the trace, or in a vforked child: all that is known is what it took the place
  // of.
  if (opened.kind == Value::Kind::number && opened.number >= 0 && opened.number != original.number)
    replace(call, static_cast<std::int32_t>(opened.number));
  if (opened.kind != Value::Kind::opened) return;
  const Slot* const first = slot_of(call, original);
  Slot slot = first == nullptr ? Slot{} : *first;
  slot.number = static_cast<std::int32_t>(opened.number);
  slot.stream = false;
  slot.buffer = 0;
  const bool is_known = first != nullptr;
  const bool onto_itself = is_known && first->number == slot.number;
  if (onto_itself)
    forget_descriptor(*call.table, slot.number);  // it has another handle now, and was not closed
  else
    replace(call, slot.number);
  slot.open = is_known || slot.open;
  call.table->slot(opened.handle) = slot;
}

void Follower::control(const Call& call) {
  const std::int64_t command = call.argument(1).number;
  if (call.record->result.kind == Value::Kind::opened)  // F_DUPFD
    return duplicate(call, call.argument(call.info->handle));
  if (command != F_SETFL) return;
  if (Slot* const slot = slot_of(call, call.argument(call.info->handle)); slot != nullptr)
    descriptions_[slot->description].append = (call.argument(2).number & O_APPEND) != 0;
}

void Follower::close(const Call& call, Operation operation) {
  const Value& handle = call.argument(call.info->handle);
  Slot* const slot = slot_of(call, handle);
  if (slot == nullptr) {
    if (handle.kind == Value::Kind::handle) call.table->slot(handle.handle).open = false;
    return;
  }
  std::uint32_t operations = Operations{operation}.bits();
  if (slot->stream) operations |= SyncPoint::kFlushes;
  sync(call, slot->use, operations, slot->buffer);
  const std::int32_t number = slot->number;
  slot->open = false;
  if (!slot->stream || number < 0) return;
  for (Slot& other : call.table->slots)  // fdopen's descriptor goes with the stream
    if (other.open && other.number == number && other.use == slot->use) other.open = false;
}

void Follower::close_numbers(const Call& call) {
  constexpr std::int64_t kOnExecOnly = 4;  // CLOSE_RANGE_CLOEXEC
  if (call.info->flags >= 0 && (call.argument(call.info->flags).number & kOnExecOnly) != 0) return;
  const std::int64_t first = call.argument(0).number;
  const std::int64_t last = call.record->arguments.size() > 1 ? call.argument(1).number : INT32_MAX;
  for (Slot& slot : call.table->slots) {
    if (!slot.open || slot.stream || slot.number < first || slot.number > last) continue;
    if (slot.use != kNone) sync(call, slot.use, Operations{Operation::close}.bits());
    slot.open = false;
  }
}

void Follower::close_streams(const Call& call) {
  for (Slot& slot : call.table->slots) {
    if (!slot.open || !slot.stream) continue;
    if (slot.use != kNone)
      sync(call, slot.use, Operations{Operation::fclose}.bits() | SyncPoint::kFlushes, slot.buffer);
    slot.open = false;
  }
}

// The slot of a file; null where the handle is no file.
Slot* Follower::slot_of(const Call& call, const Value& handle) {
  if (handle.kind != Value::Kind::handle) return nullptr;
  Slot& slot = call.table->slot(handle.handle);
  if (!slot.open) [[unlikely]]
    adopt(call, handle, slot);
  return slot.use == kNone ? nullptr : &slot;
}

// A handle that the process did not open as far as was seen: the descriptor below a stream, one that was
// inherited, or one from before the recording.
void Follower::adopt(const Call& call, const Value& handle, Slot& slot) {
  const auto number = static_cast<std::int32_t>(handle.number);
  const std::string name = normal_name(handle.text);
  // A standard stream keeps its name when another file is put behind its descriptor.
  const bool is_standard = number >= 0 && number <= 2 && !names_a_file(name);
  const auto is_it = [&](const Slot& other) {
    return &other != &slot && other.open && other.number == number &&
           (is_standard || (other.use == kNone ? !names_a_file(name)
                                               : out_.openings[out_.uses[other.use].opening].path == name));
  };
  for (std::vector<Slot>* const list : {&call.table->slots, &call.table->inherited})
    if (const auto found = std::find_if(list->begin(), list->end(), is_it);
        number >= 0 && found != list->end()) {
      slot = *found;
      slot.stream = false;
      if (list == &call.table->inherited) list->erase(found);
      return;
    }
  adopt_unseen(call, handle, name, slot);
}

// One from before the recording. What others of the family have by the same number and name they have from
// the same ancestor.
void Follower::adopt_unseen(const Call& call, const Value& handle, const std::string& name, Slot& slot) {
  const auto number = static_cast<std::int32_t>(handle.number);
  const auto known = number < 0 ? unseen_.end() : unseen_.find({number, name});
  if (known == unseen_.end()) {
    const std::uint32_t opening = add_opening(call, name);
    fill(call, handle, opening, false);
    out_.openings[opening].only_named = true;
    descriptions_.back().append = (call.reader->flags(handle.handle) & O_APPEND) != 0;
    if (number >= 0) unseen_[{number, name}] = slot.description;
  } else {
    slot = {};
    slot.description = known->second;
    slot.use = use_of(*call.table, call.process, descriptions_[known->second].opening);
    slot.number = number;
    slot.open = true;
  }
  // Where it stood before this call, as the recorder found it.
  std::int64_t position = call.reader->position(handle.handle);
  if (call.record->result.kind == Value::Kind::number && call.record->function->result == Role::bytes &&
      call.info->action == Action::transfer)
    position -= call.result();
  Description& description = descriptions_[slot.description];
  description.position = position < 0 ? 0 : position;
  description.from_end = false;
}

// What a process has from the one it was forked from: the same descriptions, of which it makes its own use.
void Follower::inherit(ProcessTable& table, std::uint32_t process, const ProcessTable& from) {
  const bool same_program = !from.replaced;
  table.slots = from.slots;
  table.inherited = from.inherited;
  table.buffers = from.buffers;
  for (std::vector<Slot>* const list : {&table.slots, &table.inherited})
    for (Slot& slot : *list) {
      if (!slot.open) continue;
      if (!same_program && slot.stream) slot.open = false;
      if (slot.use == kNone) continue;
      slot.use = use_of(table, process, out_.uses[slot.use].opening);
    }
  if (same_program) return;
  // Another program numbers its handles anew: they are found by their descriptors.
  for (const Slot& slot : table.slots)
    if (slot.open && slot.number >= 0) table.inherited.push_back(slot);
  table.slots.clear();
}

}  // namespace weir::semantics::detail
