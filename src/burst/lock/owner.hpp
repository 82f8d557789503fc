#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "burst/lock/link.hpp"
#include "burst/lock/message.hpp"

namespace weir::burst::lock {

struct ToNode {
  NodeId node = 0;
  Stamp stamp;
  FromOwner message;
};
using ToNodes = std::vector<ToNode>;

struct HeldToken {
  NodeId node = 0;
  Token token;
  bool operator==(const HeldToken&) const = default;
};

// The global manager of one file's tokens: which node holds which blocks, and who waits for them. Knows no
// transport: messages come in by receive(), and what is to be sent is appended to `out`.
//
// Requests that stand in each other's way are served in the order of their arrival: none is granted before an
// earlier one it conflicts with, so nobody starves. A request is granted whole or not at all, and a waiting
// one holds nothing back at its node, so there is no circle of nodes that wait for each other. Not
// thread-safe; the file's shard is.
class LockOwner {
 public:
  explicit LockOwner(Options options, std::uint64_t epoch = 1) : options_(options), epoch_(epoch) {}

  // After a restart: `tokens` as exported, and `nodes` that may hold more than that. Nothing is granted
  // before each of them has said Hello or is gone; what a node says counts, not what was exported.
  LockOwner(Options options, std::uint64_t epoch, std::span<const HeldToken> tokens,
            std::span<const NodeId> nodes);

  void receive(NodeId from, const Stamp& stamp, const ToOwner& message, ToNodes& out);
  // The node's agent is dead and what its clients had under tokens is taken care of: they are free. What is
  // still under way of this life of it or an earlier one is not heard.
  void node_gone(NodeId node, std::uint64_t agent_epoch, ToNodes& out);
  // Again whatever may not have arrived.
  void resend(ToNodes& out) const;

  std::vector<NodeId> nodes() const;      // that have said something
  std::vector<HeldToken> tokens() const;  // by node, ascending; for the journal
  std::size_t waiting() const { return queue_.size(); }
  std::vector<std::pair<NodeId, Request>> queue() const;  // who waits, in the order of arrival
  bool recovering() const { return !awaited_.empty(); }
  std::uint64_t epoch() const { return epoch_; }

 private:
  struct Node {
    Link<ToOwner, FromOwner> link;
    BlockSet exclusive;
    BlockSet readable;          // exclusive ones among them
    std::uint64_t handled = 0;  // messages that came over the link
  };
  struct Waiting {
    NodeId node = 0;
    Request request;
    bool conflicted = false;
    bool told = false;  // whom to ask
  };

  void handle(NodeId from, const Nothing&, ToNodes&) { static_cast<void>(from); }
  void handle(NodeId from, const Hello& hello, ToNodes& out);
  void handle(NodeId from, const Request& request, ToNodes& out);
  void handle(NodeId from, const Yield& yield, ToNodes& out);
  void send(NodeId to, FromOwner message, ToNodes& out);
  void serve_queue(ToNodes& out);
  bool behind_another(std::list<Waiting>::const_iterator waiting) const;
  std::vector<Holder> holders_against(const Waiting& waiting) const;
  void grant(const Waiting& waiting, ToNodes& out);
  Blocks range_for(const Waiting& waiting) const;
  void hold(NodeId node, const Token& token);
  void drop(NodeId node, Blocks blocks, bool keeps_shared);
  bool taken_by_others(NodeId node, const Token& token) const;

  Options options_;
  std::uint64_t epoch_;
  std::map<NodeId, Node> nodes_;
  BlockSet exclusive_;  // of all nodes
  BlockSet readable_;
  std::list<Waiting> queue_;
  std::set<NodeId> awaited_;
  std::map<NodeId, std::uint64_t> ended_;  // the last life of nodes that are gone
};

}  // namespace weir::burst::lock
