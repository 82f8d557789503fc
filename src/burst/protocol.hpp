#pragma once

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/result.hpp"
#include "transport/wire.hpp"

// The messages of the file system: what a client asks of its node's server, and what servers ask of each
// other. A request is a Header and the body that its kind names; an answer is an errno and, when that is
// zero, the body that the request's type names as its Answer. The bodies are in file_protocol.hpp,
// name_protocol.hpp, space_protocol.hpp, server_protocol.hpp, lock_protocol.hpp and verify_protocol.hpp.
namespace weir::burst {

using transport::Bytes;

// A client or server of another number is refused when it connects.
inline constexpr std::uint32_t kProtocolVersion = 5;

enum class Kind : std::uint8_t {
  // to the owner of a name
  open = 1,
  stat_name,
  unlink,
  rename,
  put_name,    // the second half of a rename, between owners of names
  list_names,  // of one worker, below a directory
  // to the owner of a file
  open_file,
  close_file,
  attach,
  query,
  detach,
  truncate,
  reserve,
  stat_file,
  flush,
  set_path,   // the file was renamed, between servers
  drop_name,  // the file has lost its name, between servers
  // to an agent
  segment,
  fetch,
  write_back,
  client_gone,  // from its agent to all owners
  log_use,      // from a client: which of its segments it still needs
  give_up,      // from an agent to all owners: its segments are wanted back
  reclaim,      // that an agent should do so now
  // to any server
  stats,
  flush_all,
  stop,
  // to the owner of a file
  set_attributes,
  // tokens, lock_protocol.hpp: from a client to its node's agent
  lock_seat,
  lock_enter,
  lock_look,
  lock_hold,
  lock_release,
  lock_drain,
  // from an agent to an owner
  lock_node_started,
  lock_to_owner,
  lock_flush,
  // to an agent
  lock_owner_started,
  lock_from_owner,
  lock_ask,
  // to the owner of a file
  append,
  // verify mode, verify_protocol.hpp: to the owner of a file
  note_write,
  ask_newest,
  report_read,
  // to any worker
  ask_verdict,
  // to the owner of a file
  mark_clean,
  // to the owner of a name
  check_name,
  link_name,
  // to the owner of a file, between servers
  add_name,
  // to any worker
  seal,
  // tokens: from an owner to agents
  lock_file_gone,
};

// What statistics call it; where a name and a file can be asked for the same, that is one. Empty for a number
// that is no kind.
std::string_view name_of(Kind kind);

// Whether only servers ask it of each other: a client that does has broken the rules.
constexpr bool is_between_servers(Kind kind) {
  switch (kind) {
    case Kind::put_name:
    case Kind::set_path:
    case Kind::drop_name:
    case Kind::add_name:
    case Kind::write_back:
    case Kind::client_gone:
    case Kind::give_up:
    case Kind::lock_node_started:
    case Kind::lock_to_owner:
    case Kind::lock_flush:
    case Kind::lock_owner_started:
    case Kind::lock_from_owner:
    case Kind::lock_ask:
    case Kind::lock_file_gone:
      return true;
    default:
      return false;
  }
}

// Whether it matters if a request is done twice.
constexpr bool changes(Kind kind) {
  switch (kind) {
    case Kind::open:
    case Kind::open_file:
    case Kind::close_file:
    case Kind::attach:
    case Kind::detach:
    case Kind::truncate:
    case Kind::reserve:
    case Kind::append:
    case Kind::unlink:
    case Kind::rename:
    case Kind::link_name:
    case Kind::set_attributes:
      return true;
    default:
      return false;
  }
}

// Whether the answer takes as long as a disk does: as long as somebody is there who works on it, one waits.
constexpr bool waits_for_a_disk(Kind kind) {
  return kind == Kind::write_back || kind == Kind::flush || kind == Kind::flush_all ||
         kind == Kind::give_up || kind == Kind::reclaim;
}
inline constexpr std::chrono::hours kDiskPatience{1};

// Who asks whom. `sequence` numbers the requests of a client that change something, from one up: an owner
// answers one that it has done already with the same answer. Zero asks for no such care.
struct Header {
  Kind kind{};
  std::uint32_t to_server = 0;
  std::uint64_t client = 0;
  std::uint64_t sequence = 0;

  static constexpr auto fields =
      std::tuple{&Header::kind, &Header::to_server, &Header::client, &Header::sequence};
};

struct Nothing {
  static constexpr auto fields = std::tuple{};
};

// --- requests and answers as bytes ---

// What an answer says to bytes that are no message of this protocol: whoever sent them is dropped.
inline constexpr int kNoMessage = EBADMSG;

// Another owner is changing this name at the moment; ask again shortly. Not an errno that a file system
// gives.
inline constexpr int kAskAgain = 100'000;

Bytes join(Bytes first, const Bytes& second);

template <class Body>
Bytes encode_request(Header header, const Body& body) {
  header.kind = Body::kKind;
  return join(transport::pack(header), transport::pack(body));
}

Result<Header> decode_header(ByteSpan& request);  // what is left is the body

template <class Body>
Bytes encode_answer(const Body& body) {
  return join(transport::pack(std::int32_t{0}), transport::pack(body));
}

Bytes encode_failure(int error);

// The body of an answer; an errno that the other side gave, EMSGSIZE where the request was no message for its
// length, EIO where the bytes are no answer.
template <class Body>
struct Outcome {
  int error = EIO;
  Body body;
  explicit operator bool() const { return error == 0; }
};

template <class Body>
Bytes encode_outcome(const Outcome<Body>& outcome) {
  return outcome ? encode_answer(outcome.body) : encode_failure(outcome.error);
}

int decode_status(ByteSpan& answer);

template <class Body>
Outcome<Body> decode_answer(ByteSpan answer) {
  const int error = decode_status(answer);
  if (error != 0) return {error, {}};
  auto body = transport::unpack<Body>(answer);
  if (!body) return {EIO, {}};
  return {0, std::move(*body)};
}

template <class Body>
Outcome<Body> decode_answer(const Result<Bytes>& answer) {
  if (!answer) return {answer.error().code() == Errc::too_big ? EMSGSIZE : EIO, {}};
  return decode_answer<Body>(ByteSpan(*answer));
}

}  // namespace weir::burst
