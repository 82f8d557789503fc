#include "burst/shard.hpp"

#include <memory>

#include "burst/shard_dispatch.hpp"

namespace weir::burst {
namespace {

// What opening and attaching change depends on what is opened and attached: they see to it themselves.
constexpr bool always_changes(Kind kind) {
  return changes(kind) && kind != Kind::open && kind != Kind::open_file && kind != Kind::close_file &&
         kind != Kind::attach;
}

}  // namespace

int Shard::commit(const Changes& changes, bool drains) {
  if (changes.empty()) return 0;
  if (const int error = ports_.keep(changes, drains); error != 0) return error;
  for (const Change& change : changes) {
    state_.apply(change);
    shadows_.follow(change);
    if (const auto* const gone = std::get_if<FileGone>(&change)) flushed_by_.erase(gone->file);
  }
  return 0;
}

void Shard::handle(const Header& header, ByteSpan body, Respond respond) {
  if (const Bytes* before = state_.answer_of(header.client, header.sequence))
    return std::move(respond)(answer_again(header, body, *before));
  if (sealed_ && always_changes(header.kind)) return std::move(respond)(encode_failure(EROFS));
  switch (header.kind) {
    case Kind::open:
      return at_once<Open>(header, body, std::move(respond), &Shard::open);
    case Kind::stat_name:
      return at_once<StatName>(header, body, std::move(respond), &Shard::stat_name);
    case Kind::list_names:
      return at_once<ListNames>(header, body, std::move(respond), &Shard::list_names);
    case Kind::unlink:
      return at_the_end<Unlink>(header, body, std::move(respond), &Shard::unlink);
    case Kind::rename:
      return at_the_end<Rename>(header, body, std::move(respond), &Shard::rename);
    case Kind::check_name:
      return later<CheckName>(header, body, std::move(respond), &Shard::check_name);
    case Kind::link_name:
      return later<LinkName>(header, body, std::move(respond), &Shard::link_name);
    case Kind::put_name:
      return later<PutName>(header, body, std::move(respond), &Shard::put_name);
    case Kind::open_file:
      return at_once<OpenFile>(header, body, std::move(respond), &Shard::open_file);
    case Kind::close_file:
      return at_once<CloseFile>(header, body, std::move(respond), &Shard::close_file);
    case Kind::attach:
      return at_once<Attach>(header, body, std::move(respond), &Shard::attach);
    case Kind::append:
      return at_once<Append>(header, body, std::move(respond), &Shard::append);
    case Kind::query:
      return at_once<Query>(header, body, std::move(respond), &Shard::query);
    case Kind::detach:
      return at_once<Detach>(header, body, std::move(respond), &Shard::detach);
    case Kind::truncate:
      return at_once<Truncate>(header, body, std::move(respond), &Shard::truncate);
    case Kind::set_attributes:
      return at_once<SetAttributes>(header, body, std::move(respond), &Shard::set_attributes);
    case Kind::reserve:
      return at_once<ReserveEnd>(header, body, std::move(respond), &Shard::reserve);
    case Kind::stat_file:
      return at_once<StatFile>(header, body, std::move(respond), &Shard::stat_file);
    case Kind::set_path:
      return at_once<SetPath>(header, body, std::move(respond), &Shard::set_path);
    case Kind::add_name:
      return at_once<AddName>(header, body, std::move(respond), &Shard::add_name);
    case Kind::drop_name:
      return at_once<DropName>(header, body, std::move(respond), &Shard::drop_name);
    case Kind::client_gone:
      return at_once<ClientGone>(header, body, std::move(respond), &Shard::client_gone);
    case Kind::lock_flush:
      return at_once<LockFlush>(header, body, std::move(respond), &Shard::lock_flush);
    case Kind::note_write:
      return at_once<NoteWrite>(header, body, std::move(respond), &Shard::note_write);
    case Kind::ask_newest:
      return at_once<AskNewest>(header, body, std::move(respond), &Shard::ask_newest);
    case Kind::report_read:
      return at_once<ReportRead>(header, body, std::move(respond), &Shard::report_read);
    case Kind::ask_verdict:
      return at_once<AskVerdict>(header, body, std::move(respond), &Shard::ask_verdict);
    case Kind::mark_clean:
      return at_once<MarkClean>(header, body, std::move(respond), &Shard::mark_clean);
    case Kind::flush:
      return later<Flush>(header, body, std::move(respond), &Shard::flush);
    case Kind::give_up:
      return later<GiveUp>(header, body, std::move(respond), &Shard::give_up);
    default:
      return std::move(respond).blame(encode_failure(kNoMessage));
  }
}

}  // namespace weir::burst
