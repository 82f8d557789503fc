#include "burst/protocol.hpp"

namespace weir::burst {

namespace {

// Reads a T of a fixed size from the front.
template <class T>
Result<T> take(ByteSpan& bytes) {
  static const std::size_t size = transport::pack(T{}).size();
  if (bytes.size() < size) return Error{Errc::bad_data, "a message that ends too early"};
  auto value = transport::unpack<T>(bytes.first(size));
  if (value) bytes = bytes.subspan(size);
  return value;
}

}  // namespace

// A kind without a row is a warning, and so an error in the build.
std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::open:
    case Kind::open_file:
      return "open";
    case Kind::stat_name:
    case Kind::stat_file:
      return "stat";
    case Kind::unlink:
      return "unlink";
    case Kind::rename:
      return "rename";
    case Kind::put_name:
      return "put_name";
    case Kind::list_names:
      return "list";
    case Kind::close_file:
      return "close";
    case Kind::attach:
      return "attach";
    case Kind::query:
      return "query";
    case Kind::detach:
      return "detach";
    case Kind::truncate:
      return "truncate";
    case Kind::reserve:
      return "reserve";
    case Kind::flush:
      return "flush";
    case Kind::set_path:
      return "set_path";
    case Kind::drop_name:
      return "drop_name";
    case Kind::segment:
      return "segment";
    case Kind::fetch:
      return "fetch";
    case Kind::write_back:
      return "write_back";
    case Kind::client_gone:
      return "client_gone";
    case Kind::log_use:
      return "log_use";
    case Kind::give_up:
      return "give_up";
    case Kind::reclaim:
      return "reclaim";
    case Kind::stats:
      return "stats";
    case Kind::flush_all:
      return "flush_all";
    case Kind::stop:
      return "stop";
    case Kind::set_attributes:
      return "set_attributes";
    case Kind::lock_seat:
      return "lock_seat";
    case Kind::lock_enter:
      return "lock_enter";
    case Kind::lock_look:
      return "lock_look";
    case Kind::lock_hold:
      return "lock_hold";
    case Kind::lock_release:
      return "lock_release";
    case Kind::lock_drain:
      return "lock_drain";
    case Kind::lock_node_started:
      return "lock_node_started";
    case Kind::lock_to_owner:
      return "lock_to_owner";
    case Kind::lock_flush:
      return "lock_flush";
    case Kind::lock_owner_started:
      return "lock_owner_started";
    case Kind::lock_from_owner:
      return "lock_from_owner";
    case Kind::lock_ask:
      return "lock_ask";
    case Kind::append:
      return "append";
    case Kind::note_write:
      return "note_write";
    case Kind::ask_newest:
      return "ask_newest";
    case Kind::report_read:
      return "report_read";
    case Kind::ask_verdict:
      return "ask_verdict";
    case Kind::mark_clean:
      return "mark_clean";
    case Kind::check_name:
      return "check_name";
    case Kind::link_name:
      return "link";
    case Kind::add_name:
      return "add_name";
    case Kind::seal:
      return "seal";
    case Kind::lock_file_gone:
      return "lock_file_gone";
  }
  return {};
}

Result<Header> decode_header(ByteSpan& request) { return take<Header>(request); }

Bytes join(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Bytes encode_failure(int error) { return transport::pack(static_cast<std::int32_t>(error)); }

int decode_status(ByteSpan& answer) {
  const auto status = take<std::int32_t>(answer);
  if (!status || *status < 0) return EIO;
  return *status;
}

}  // namespace weir::burst
