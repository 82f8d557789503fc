#pragma once

#include "burst/file_protocol.hpp"
#include "burst/lock/message.hpp"
#include "burst/protocol.hpp"

// The messages of the token protocol (docs/design/0019): the state machines' own, wrapped with the file they
// are about, and what the processes around them need. Each goes to the worker of the file's number: a node's
// tokens of a file are in the hands of one thread, as the file is at its owner's.
namespace weir::burst {

// --- a client asks its node's agent ---

// Where a client's board, its ring of written bytes and its slots on the board are.
struct Seat {
  std::string board;
  std::string ring;
  std::vector<std::uint32_t> slots;

  static constexpr auto fields = std::tuple{&Seat::board, &Seat::ring, &Seat::slots};
};

// For the files of this worker; asked again it is the same.
struct TakeSeat {
  static constexpr Kind kKind = Kind::lock_seat;
  using Answer = Seat;
  static constexpr auto fields = std::tuple{};
};

// The blocks for one write: when it is answered, the access is entered in the slot and waits to be taken.
struct LockEnter {
  static constexpr Kind kKind = Kind::lock_enter;
  using Answer = Nothing;
  FileId file;
  lock::Blocks blocks;
  std::uint32_t slot = 0;

  static constexpr auto fields = std::tuple{&LockEnter::file, &LockEnter::blocks, &LockEnter::slot};
};

// Where the bytes are, looked up under a shared token of their blocks.
struct LockLook {
  static constexpr Kind kKind = Kind::lock_look;
  using Answer = Queried;
  FileId file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  static constexpr auto fields = std::tuple{&LockLook::file, &LockLook::begin, &LockLook::end};
};

// The blocks until they are released, against the node's other clients too. `number` is the client's.
struct LockHold {
  static constexpr Kind kKind = Kind::lock_hold;
  using Answer = Nothing;
  FileId file;
  lock::Blocks blocks;
  lock::Mode mode = lock::Mode::shared;
  std::uint64_t number = 0;

  static constexpr auto fields =
      std::tuple{&LockHold::file, &LockHold::blocks, &LockHold::mode, &LockHold::number};
};

struct LockRelease {
  static constexpr Kind kKind = Kind::lock_release;
  using Answer = Nothing;
  FileId file;
  std::uint64_t number = 0;

  static constexpr auto fields = std::tuple{&LockRelease::file, &LockRelease::number};
};

// What the node's clients have written of the file is known to its owner when it is answered. File zero: of
// all files of this worker.
struct LockDrain {
  static constexpr Kind kKind = Kind::lock_drain;
  using Answer = Nothing;
  FileId file;

  static constexpr auto fields = std::tuple{&LockDrain::file};
};

// --- an agent tells an owner ---

struct OwnerLife {
  std::uint64_t epoch = 0;

  static constexpr auto fields = std::tuple{&OwnerLife::epoch};
};

// The agent has begun a life in which it holds nothing, and what was written in those before is flushed.
struct LockNodeStarted {
  static constexpr Kind kKind = Kind::lock_node_started;
  using Answer = OwnerLife;
  std::uint32_t node = 0;
  std::uint64_t epoch = 0;
  std::vector<FileId> but;  // of these it does, for clients that hold blocks of them; a Hello follows

  static constexpr auto fields =
      std::tuple{&LockNodeStarted::node, &LockNodeStarted::epoch, &LockNodeStarted::but};
};

// Which of a message's parts counts; with `nothing` it is the stamp alone.
enum class Said : std::uint8_t { nothing, hello, request, yield, welcome, grant, conflict };
constexpr bool is_known(Said said) { return said <= Said::conflict; }

struct LockToOwner {
  static constexpr Kind kKind = Kind::lock_to_owner;
  using Answer = Nothing;
  FileId file;
  std::uint32_t node = 0;
  lock::Stamp stamp;
  Said said = Said::nothing;
  lock::Hello hello;
  lock::Request request;
  lock::Yield yield;

  static constexpr auto fields =
      std::tuple{&LockToOwner::file,  &LockToOwner::node,    &LockToOwner::stamp, &LockToOwner::said,
                 &LockToOwner::hello, &LockToOwner::request, &LockToOwner::yield};
};

struct FlushedPiece {
  std::uint64_t client = 0;
  LogPiece piece;

  static constexpr auto fields = std::tuple{&FlushedPiece::client, &FlushedPiece::piece};
};

// What clients of the node wrote under its tokens, the newest of each byte. Numbered in each life of the
// agent: one that comes late is not done again.
struct LockFlush {
  static constexpr Kind kKind = Kind::lock_flush;
  using Answer = Nothing;
  FileId file;
  std::uint32_t node = 0;
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;
  std::vector<FlushedPiece> pieces;

  static constexpr auto fields = std::tuple{&LockFlush::file, &LockFlush::node, &LockFlush::epoch,
                                            &LockFlush::number, &LockFlush::pieces};
};

// --- an agent is told ---

struct FileTokens {
  FileId file;
  std::vector<lock::Token> tokens;

  static constexpr auto fields = std::tuple{&FileTokens::file, &FileTokens::tokens};
};

struct NodeTokens {
  std::uint64_t epoch = 0;  // of the agent; zero: it never held any
  std::vector<FileTokens> files;

  static constexpr auto fields = std::tuple{&NodeTokens::epoch, &NodeTokens::files};
};

// The owner has begun another life; what it is answered is what the node holds of its files.
struct LockOwnerStarted {
  static constexpr Kind kKind = Kind::lock_owner_started;
  using Answer = NodeTokens;
  std::uint32_t server = 0;
  std::uint64_t epoch = 0;

  static constexpr auto fields = std::tuple{&LockOwnerStarted::server, &LockOwnerStarted::epoch};
};

struct LockFromOwner {
  static constexpr Kind kKind = Kind::lock_from_owner;
  using Answer = Nothing;
  FileId file;
  lock::Stamp stamp;
  Said said = Said::nothing;
  lock::Welcome welcome;
  lock::Grant grant;
  lock::Conflict conflict;

  static constexpr auto fields =
      std::tuple{&LockFromOwner::file,    &LockFromOwner::stamp, &LockFromOwner::said,
                 &LockFromOwner::welcome, &LockFromOwner::grant, &LockFromOwner::conflict};
};

struct LockAsk {
  static constexpr Kind kKind = Kind::lock_ask;
  using Answer = Nothing;
  FileId file;
  lock::Ask ask;

  static constexpr auto fields = std::tuple{&LockAsk::file, &LockAsk::ask};
};

// The owner has no such file any more, and nobody will ask for its tokens.
struct LockFileGone {
  static constexpr Kind kKind = Kind::lock_file_gone;
  using Answer = Nothing;
  FileId file;

  static constexpr auto fields = std::tuple{&LockFileGone::file};
};

// The state machines' messages as they travel.
LockToOwner wrap(FileId file, std::uint32_t node, const lock::Stamp& stamp, const lock::ToOwner& message);
LockFromOwner wrap(FileId file, const lock::Stamp& stamp, const lock::FromOwner& message);
lock::ToOwner unwrap(const LockToOwner& message);
lock::FromOwner unwrap(const LockFromOwner& message);

}  // namespace weir::burst
