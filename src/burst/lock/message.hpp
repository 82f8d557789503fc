#pragma once

#include <cstdint>
#include <tuple>
#include <variant>
#include <vector>

#include "burst/lock/blocks.hpp"

// What the managers of one file's tokens say to each other. Plain data; how it travels is not their business.
//
//   agent to owner   Request    a local client needs more than the node holds
//   owner to agent   Grant      nobody stands in the way (any more)
//   owner to agent   Conflict   these nodes hold it: ask them; the request keeps its place in the queue
//   agent to agent   Ask        give up what is needed
//   agent to owner   Yield      given up, after local use has ended and what was modified is flushed
//   agent to owner   Hello      what the node holds, to an owner that was restarted
//   owner to agent   Welcome    which of it somebody else has been granted meanwhile
//
// Between an agent and an owner every message has a Stamp: they may arrive late, twice and in any order.
namespace weir::burst::lock {

using NodeId = std::uint32_t;
using ClientId = std::uint64_t;
using RequestId = std::uint64_t;  // unique per agent and file, ascending

enum class Mode : std::uint8_t { shared, exclusive };
constexpr bool is_known(Mode mode) { return mode == Mode::shared || mode == Mode::exclusive; }

// Two nodes may hold the same block only to read it.
constexpr bool compatible(Mode a, Mode b) { return a == Mode::shared && b == Mode::shared; }

// What is granted beyond what was requested.
enum class GrantRange : std::uint8_t {
  exact,       // nothing
  extend,      // both ends go to the farthest free block
  extend_end,  // only the end does
};

// What a holder gives up when it is asked.
enum class Settle : std::uint8_t {
  split,   // what was requested and, unless tokens are exact, what follows it up to the next use of its own
  revoke,  // the whole token
};

struct Options {
  GrantRange grant = GrantRange::extend;
  Settle settle = Settle::split;
};

// Both sides of a link count what they send; the epochs are the numbers of the owner's and the agent's lives.
struct Stamp {
  std::uint64_t owner_epoch = 0;
  std::uint64_t agent_epoch = 0;
  std::uint64_t sequence = 0;      // 1, 2, ...; 0 says only what has arrived
  std::uint64_t acknowledged = 0;  // the last one that arrived with all before it
  bool operator==(const Stamp&) const = default;
  static constexpr auto fields =
      std::tuple{&Stamp::owner_epoch, &Stamp::agent_epoch, &Stamp::sequence, &Stamp::acknowledged};
};

struct Token {
  Blocks blocks;
  Mode mode = Mode::shared;
  bool operator==(const Token&) const = default;
  static constexpr auto fields = std::tuple{&Token::blocks, &Token::mode};
};

struct Request {
  RequestId id = 0;
  Blocks blocks;
  Mode mode = Mode::shared;
  static constexpr auto fields = std::tuple{&Request::id, &Request::blocks, &Request::mode};
};
struct Yield {
  Blocks blocks;
  bool keeps_shared = false;  // an exclusive token became a shared one
  static constexpr auto fields = std::tuple{&Yield::blocks, &Yield::keeps_shared};
};
struct Hello {
  std::vector<Token> holding;
  static constexpr auto fields = std::tuple{&Hello::holding};
};
struct Nothing {};  // carries a Stamp

struct Grant {
  RequestId id = 0;
  Token token;
  bool conflicted = false;  // somebody stood in the way
  // How many of the agent's messages the owner had handled: what was yielded in a later one is no part of it.
  std::uint64_t seen = 0;
  static constexpr auto fields = std::tuple{&Grant::id, &Grant::token, &Grant::conflicted, &Grant::seen};
};
struct Holder {
  NodeId node = 0;
  std::uint64_t epoch = 0;  // of its agent
  std::uint64_t after = 0;  // how many messages the owner had sent it: among them is the grant in question
  static constexpr auto fields = std::tuple{&Holder::node, &Holder::epoch, &Holder::after};
};
struct Conflict {
  RequestId id = 0;
  std::vector<Holder> holders;
  static constexpr auto fields = std::tuple{&Conflict::id, &Conflict::holders};
};
struct Welcome {
  std::vector<Token> refused;
  static constexpr auto fields = std::tuple{&Welcome::refused};
};

using ToOwner = std::variant<Nothing, Hello, Request, Yield>;
using FromOwner = std::variant<Nothing, Welcome, Grant, Conflict>;

struct Ask {
  NodeId asker = 0;
  std::uint64_t asker_epoch = 0;
  RequestId id = 0;  // the asker's request
  Blocks blocks;
  Mode mode = Mode::shared;
  std::uint64_t owner_epoch = 0;
  std::uint64_t epoch = 0;  // of the one who is asked
  std::uint64_t after = 0;  // Holder::after
  bool same_as(const Ask& other) const {
    return asker == other.asker && asker_epoch == other.asker_epoch && id == other.id &&
           owner_epoch == other.owner_epoch;
  }
  static constexpr auto fields = std::tuple{&Ask::asker, &Ask::asker_epoch, &Ask::id,    &Ask::blocks,
                                            &Ask::mode,  &Ask::owner_epoch, &Ask::epoch, &Ask::after};
};

}  // namespace weir::burst::lock
