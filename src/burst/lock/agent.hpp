#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <utility>
#include <vector>

#include "burst/lock/link.hpp"
#include "burst/lock/message.hpp"

namespace weir::burst::lock {

using LocalId = std::uint64_t;  // of a local client's request; given by the caller, never used twice

// How a local request was served: Table 5.7's letters.
enum class Served : std::uint8_t {
  fresh,     // alpha: by the owner, nobody held it
  local,     // beta: by the node's own tokens
  conflict,  // gamma: by the owner, after others gave it up
};
struct Counters {
  std::uint64_t fresh = 0, local = 0, conflict = 0;
  bool operator==(const Counters&) const = default;
};

// A local client may use the blocks until it is said to have released them.
struct LocalGrant {
  LocalId id = 0;
  ClientId client = 0;
  Token token;  // the run of the node's tokens that covers the request, for the token board
  Served served = Served::local;
};

// Local use of these blocks is to end and what was modified in them to be flushed; then reclaimed(id).
struct Reclaim {
  std::uint64_t id = 0;
  Blocks blocks;
  bool modified = false;      // they were held exclusively
  bool keeps_shared = false;  // reading may go on
};

// What an agent wants done; the caller carries it out in this order.
struct Actions {
  std::vector<std::pair<Stamp, ToOwner>> to_owner;
  std::vector<std::pair<NodeId, Ask>> asks;
  std::vector<LocalGrant> granted;
  std::vector<Reclaim> reclaims;
  std::vector<Token> lost;  // an owner that was restarted gave them to somebody else
};

// A node's manager of one file's tokens. Local requests that the node's tokens cover are served at once,
// others go to the owner; when another node asks, local use of the range ends, it is flushed and given up.
//
// Local requests that stand in each other's way are served in order too. What a client was granted it holds
// until release(): a client that waits for a second range while it holds a first one can wait for ever, as
// with fcntl(). Unless tokens are exact, one request is with the owner at a time: what it brings often serves
// those behind it, unless it takes long. Not thread-safe.
class LockAgent {
 public:
  LockAgent(NodeId node, Options options, std::uint64_t agent_epoch = 1, std::uint64_t owner_epoch = 1)
      : node_(node), options_(options), link_(owner_epoch, agent_epoch) {}

  void acquire(LocalId id, ClientId client, Blocks blocks, Mode mode, Actions& out);
  void release(LocalId id, Actions& out);
  // The client is dead: what it held is released, what it waited for is forgotten.
  void client_gone(ClientId client, Actions& out);
  // Use that passed by the agent, on the token board. Decides only what a split leaves here.
  void note_use(ClientId client, Blocks blocks);

  void receive(const Stamp& stamp, const FromOwner& message, Actions& out);
  void receive(const Ask& ask, Actions& out);
  void reclaimed(std::uint64_t id, Actions& out);

  // A new owner, or the old one in a new life: says what is held and asks again for what is missing.
  void owner_restarted(std::uint64_t owner_epoch, Actions& out);
  // Takes what an earlier life of this node held; before anything else, followed by owner_restarted().
  void adopt(const std::vector<Token>& tokens);
  // Again whatever may not have arrived.
  void resend(Actions& out);
  // What was with the owner when this was called last may wait for long, for a lock of a program: others wait
  // for it no longer.
  void let_others_pass(Actions& out);
  // Whether there are such requests still.
  bool holds_others_up() const;

  const Counters& counters() const { return counters_; }
  std::vector<Token> tokens() const;
  bool covers(Blocks blocks, Mode mode) const;
  std::size_t waiting() const { return queue_.size(); }
  std::size_t leaving() const { return leaving_.size(); }
  std::map<std::uint64_t, Blocks> leaving_blocks() const;  // by number
  bool idle() const { return queue_.empty() && leaving_.empty() && pins_.empty() && asked_of_us_.empty(); }

 private:
  struct Waiting {
    LocalId id = 0;
    ClientId client = 0;
    Blocks blocks;
    Mode mode = Mode::shared;
    RequestId request = 0;  // with the owner; 0: not asked
    Served served = Served::local;
  };
  struct Pin {
    ClientId client = 0;
    Blocks blocks;
    Mode mode = Mode::shared;
  };
  struct Leaving {
    Blocks blocks;
    bool keeps_shared = false;
    bool reclaiming = false;
  };
  struct Outstanding {  // with the owner, whether or not the client still waits
    Blocks blocks;
    Mode mode = Mode::shared;
    std::vector<Holder> holders;  // who is to be asked
    bool is_old = false;
    bool is_slow = false;
  };

  void handle(const Nothing&, Actions&) {}
  void handle(const Welcome& welcome, Actions& out);
  void handle(const Grant& grant, Actions& out);
  void handle(const Conflict& conflict, Actions& out);
  void take(const Grant& grant);
  void send(ToOwner message, Actions& out) { out.to_owner.push_back(link_.send(std::move(message))); }
  void ask_holders(RequestId id, const Outstanding& request, Actions& out) const;
  void serve_queue(Actions& out);
  bool may_ask() const;
  bool blocked(std::list<Waiting>::const_iterator waiting) const;
  bool has_pinned(const Waiting& waiting) const;
  bool pinned_against(ClientId client, Blocks blocks, Mode mode) const;
  void request(Waiting& waiting, Actions& out);
  void grant_locally(const Waiting& waiting, Actions& out);
  void answer_asks(Actions& out);
  bool about_to_leave(Blocks blocks) const;
  void answer(const Ask& ask);
  Blocks part_to_leave(Blocks run, Blocks needed) const;
  std::vector<Blocks> not_to_leave() const;
  std::list<Waiting>::iterator waiting_for(RequestId id);
  void reclaim_what_is_unused(Actions& out);
  void go_on(Actions& out);

  NodeId node_;
  Options options_;
  Link<FromOwner, ToOwner> link_;
  BlockSet exclusive_;
  BlockSet readable_;  // exclusive ones among them
  std::list<Waiting> queue_;
  std::map<LocalId, Pin> pins_;
  std::map<ClientId, Blocks> recent_;  // the run of blocks that a client last went over
  std::map<std::uint64_t, Leaving> leaving_;
  std::map<RequestId, Outstanding> outstanding_;
  std::list<Ask> asked_of_us_;
  std::deque<std::pair<std::uint64_t, Yield>>
      yielded_;               // with their sequence; the owner may not know of them
  std::deque<Ask> answered_;  // the last ones, in case they come again
  RequestId last_request_ = 0;
  std::uint64_t last_leaving_ = 0;
  Counters counters_;
};

}  // namespace weir::burst::lock
