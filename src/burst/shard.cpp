#include "burst/shard.hpp"

#include <memory>

#include "burst/shard_dispatch.hpp"

namespace weir::burst {

int Shard::commit(const Changes& changes) {
  if (changes.empty()) return 0;
  if (const int error = ports_.keep(changes); error != 0) return error;
  for (const Change& change : changes) state_.apply(change);
  return 0;
}

void Shard::handle(const Header& header, ByteSpan body, Respond respond) {
  const auto kind = static_cast<std::size_t>(header.kind);
  if (kind < handled_.size()) ++handled_[kind];
  if (const Bytes* before = state_.answer_of(header.client, header.sequence))
    return std::move(respond)(*before);
  switch (header.kind) {
    case Kind::open:
      return at_once<Open>(header, body, std::move(respond), &Shard::open);
    case Kind::stat_name:
      return at_once<StatName>(header, body, std::move(respond), &Shard::stat_name);
    case Kind::list_names:
      return at_once<ListNames>(header, body, std::move(respond), &Shard::list_names);
    case Kind::unlink:
      return later<Unlink>(header, body, std::move(respond), &Shard::unlink);
    case Kind::rename:
      return later<Rename>(header, body, std::move(respond), &Shard::rename);
    case Kind::put_name:
      return later<PutName>(header, body, std::move(respond), &Shard::put_name);
    case Kind::open_file:
      return at_once<OpenFile>(header, body, std::move(respond), &Shard::open_file);
    case Kind::close_file:
      return at_once<CloseFile>(header, body, std::move(respond), &Shard::close_file);
    case Kind::attach:
      return at_once<Attach>(header, body, std::move(respond), &Shard::attach);
    case Kind::query:
      return at_once<Query>(header, body, std::move(respond), &Shard::query);
    case Kind::detach:
      return at_once<Detach>(header, body, std::move(respond), &Shard::detach);
    case Kind::truncate:
      return at_once<Truncate>(header, body, std::move(respond), &Shard::truncate);
    case Kind::reserve:
      return at_once<ReserveEnd>(header, body, std::move(respond), &Shard::reserve);
    case Kind::stat_file:
      return at_once<StatFile>(header, body, std::move(respond), &Shard::stat_file);
    case Kind::set_path:
      return at_once<SetPath>(header, body, std::move(respond), &Shard::set_path);
    case Kind::drop_name:
      return at_once<DropName>(header, body, std::move(respond), &Shard::drop_name);
    case Kind::client_gone:
      return at_once<ClientGone>(header, body, std::move(respond), &Shard::client_gone);
    case Kind::flush:
      return later<Flush>(header, body, std::move(respond), &Shard::flush);
    default:
      return std::move(respond)(encode_failure(ENOSYS));
  }
}

}  // namespace weir::burst
