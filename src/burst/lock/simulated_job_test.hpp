#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/random.hpp"
#include "burst/lock/agent.hpp"
#include "burst/lock/owner.hpp"

// Nodes, clients and one file's owner in one thread, under a network and a clock that are made up.
namespace weir::burst::lock {

struct Network {
  std::uint64_t longest_delay = 0;  // each message takes 1 + below(longest) ticks: they overtake each other
  unsigned twice_percent = 0;
  unsigned lost_percent = 0;  // resent by a timer
};

// Every rule that must hold is checked as it happens; the first breach is in failure().
class SimulatedJob {
 public:
  SimulatedJob(Options options, NodeId nodes, Network network, std::uint64_t seed)
      : options_(options), network_(network), random_(seed), owner_(std::make_unique<LockOwner>(options)) {
    for (NodeId node = 0; node < nodes; ++node) start_node(node);
    if (network_.lost_percent > 0) resend_later();
  }

  using Done = std::function<void(LocalId, Served)>;

  // The client uses the blocks for `ticks` once it may; `done` is called when it ends.
  LocalId acquire(NodeId node, ClientId client, Blocks blocks, Mode mode, std::uint64_t ticks, Done done) {
    const LocalId id = ++last_id_;
    uses_.emplace(id, Use{node, client, {blocks, mode}, ticks, false, std::move(done)});
    act(node, [&](LockAgent& agent, Actions& out) { agent.acquire(id, client, blocks, mode, out); });
    return id;
  }

  // Until nothing is left to happen or `limit` events have.
  bool run(std::uint64_t limit = 5'000'000) {
    while (!events_.empty() && limit-- > 0 && failure_.empty()) {
      auto event = events_.extract(events_.begin());
      now_ = event.key().first;
      event.mapped()();
      if (!has_more()) break;
    }
    return failure_.empty() && uses_.empty();
  }
  void after(std::uint64_t ticks, std::function<void()> what) {
    events_.emplace(std::pair{now_ + ticks, ++last_event_}, std::move(what));
  }

  void kill_client(NodeId node, ClientId client) {
    std::erase_if(uses_, [&](const auto& use) { return use.second.client == client; });
    if (!agents_.contains(node)) return;
    act(node, [&](LockAgent& agent, Actions& out) { agent.client_gone(client, out); });
  }
  // The owner hears of it later; then what the node modified counts as saved.
  void kill_node(NodeId node, std::uint64_t heard_after) {
    agents_.erase(node);
    std::erase_if(uses_, [&](const auto& use) { return use.second.node == node; });
    after(heard_after, [this, node, life = lives_[node]] {
      if (agents_.contains(node)) return;
      std::erase_if(modified_, [&](const auto& entry) { return entry.second == node; });
      ToNodes out;
      owner_->node_gone(node, life, out);
      std::erase_if(arrived_, [&](const auto& one) { return one.first == node; });
      check_order(out);
      carry_out(out);
    });
  }
  void start_node(NodeId node) {
    agents_[node] = {std::make_unique<LockAgent>(node, options_, ++lives_[node], owner_->epoch()), {}};
  }
  bool alive(NodeId node) const { return agents_.contains(node); }

  // A new life of the owner: with the tokens it had, or with nothing but the list of nodes.
  void restart_owner(bool from_export) {
    const std::vector<HeldToken> tokens = from_export ? owner_->tokens() : std::vector<HeldToken>{};
    std::vector<NodeId> nodes;
    for (const auto& [node, agent] : agents_) nodes.push_back(node);
    owner_ = std::make_unique<LockOwner>(options_, owner_->epoch() + 1, tokens, nodes);
    arrived_.clear();  // the order is that of a new life
    std::set<NodeId> gone;
    for (const HeldToken& held : tokens)
      if (!agents_.contains(held.node)) gone.insert(held.node);
    for (const NodeId node : nodes)
      after(1 + random_.below(50), [this, node, epoch = owner_->epoch()] {
        if (!agents_.contains(node)) return;
        act(node, [&](LockAgent& agent, Actions& out) { agent.owner_restarted(epoch, out); });
      });
    for (const NodeId node : gone) kill_node(node, 1 + random_.below(50));
  }

  LockOwner& owner() { return *owner_; }
  LockAgent& agent(NodeId node) { return *agents_.at(node).agent; }
  const std::string& failure() const { return failure_; }
  Random& random() { return random_; }
  std::uint64_t messages() const { return sent_; }
  std::size_t unfinished() const { return uses_.size(); }
  // How long a node waited for a grant, at most: from its request to the answer.
  std::uint64_t longest_wait() const { return longest_wait_; }

  // No two nodes believe that they hold what excludes the other.
  void check_tokens() {
    for (const auto& [a, first] : agents_)
      for (const Token& one : first.agent->tokens())
        for (const auto& [b, second] : agents_) {
          if (a >= b) continue;
          for (const Token& two : second.agent->tokens())
            if (one.blocks.overlaps(two.blocks) && !compatible(one.mode, two.mode))
              fail(fmt::format("nodes {} and {} both hold block {}", a, b,
                               std::max(one.blocks.begin, two.blocks.begin)));
        }
  }

 private:
  struct Use {
    NodeId node;
    ClientId client;
    Token token;
    std::uint64_t ticks;
    bool active;
    Done done;
  };
  struct Agent {
    std::unique_ptr<LockAgent> agent;
    std::set<std::uint64_t> reclaiming;
  };

  struct Asked {
    Request request;
    std::uint64_t at = 0;
  };

  static bool stand_in_the_way(const Use& one, const Use& two) {
    return one.client != two.client && one.token.blocks.overlaps(two.token.blocks) &&
           !compatible(one.token.mode, two.token.mode);
  }

  // What was about to leave before and still is was given to nobody meanwhile: who asked for it is not put
  // off by the node's own clients. (No client of these tests asks for a second range while it has one.)
  template <class Call>
  void act(NodeId node, const Call& call) {
    LockAgent& agent = *agents_.at(node).agent;
    const auto before = agent.leaving_blocks();
    Actions out;
    call(agent, out);
    const auto after = agent.leaving_blocks();
    for (const auto& [id, blocks] : before)
      for (const LocalGrant& grant : out.granted)
        if (const auto use = uses_.find(grant.id);
            after.contains(id) && use != uses_.end() && use->second.token.blocks.overlaps(blocks))
          fail(fmt::format("{} was granted block {}, which is about to leave", grant.id, blocks.begin));
    carry_out(node, out);
  }

  // Of requests that stand in each other's way the owner grants the one that came first.
  void check_order(const ToNodes& out) {
    for (const ToNode& message : out) {
      const auto* const grant = std::get_if<Grant>(&message.message);
      if (grant == nullptr) continue;
      const auto asked = requests_.find({message.node, message.stamp.agent_epoch, grant->id});
      if (asked == requests_.end()) continue;
      for (const auto& [node, request] : arrived_) {
        if (node == message.node && request.id == grant->id) break;
        if (node != message.node && request.blocks.overlaps(asked->second.request.blocks) &&
            !compatible(request.mode, asked->second.request.mode))
          fail(fmt::format("node {} is served before node {}, which came first", message.node, node));
      }
    }
    // Those that came with the last message are of one node: their order among each other does not count.
    const auto queue = owner_->queue();
    const auto is_in = [](const auto& list, const auto& one) {
      return std::any_of(list.begin(), list.end(), [&](const auto& other) {
        return other.first == one.first && other.second.id == one.second.id;
      });
    };
    std::erase_if(arrived_, [&](const auto& one) { return !is_in(queue, one); });
    for (const auto& one : queue)
      if (!is_in(arrived_, one)) arrived_.push_back(one);
  }

  // Of a node, of one of its lives.
  struct RequestKey {
    NodeId node;
    std::uint64_t life;
    RequestId id;
    friend auto operator<=>(const RequestKey&, const RequestKey&) = default;
  };

  void note_wait(const RequestKey& key) {
    const auto asked = requests_.find(key);
    if (asked == requests_.end()) return;
    longest_wait_ = std::max(longest_wait_, now_ - asked->second.at);
    requests_.erase(asked);
  }

  void fail(std::string why) {
    if (failure_.empty()) failure_ = fmt::format("at {}: {}", now_, why);
  }

  void post(std::function<void()> deliver) {
    ++sent_;
    if (random_.below(100) < network_.lost_percent) return;
    const unsigned copies = random_.below(100) < network_.twice_percent ? 2 : 1;
    for (unsigned copy = 0; copy < copies; ++copy) {
      const std::uint64_t delay = network_.longest_delay == 0 ? 0 : 1 + random_.below(network_.longest_delay);
      after(delay, deliver);
    }
  }

  void resend() {
    ToNodes to_nodes;
    owner_->resend(to_nodes);
    carry_out(to_nodes);
    for (auto& [node, agent] : agents_)
      act(node, [](LockAgent& here, Actions& out) {
        here.resend(out);
        here.let_others_pass(out);
      });
    resends_ = false;
    if (has_more()) resend_later();
  }

  void resend_later() {
    resends_ = true;
    after(50, [this] { resend(); });
  }

  // A client that has not begun yet is an event, too.
  bool has_more() const { return !uses_.empty() || events_.size() > (resends_ ? 1U : 0U); }

  void carry_out(const ToNodes& out) {
    for (const ToNode& message : out)
      post([this, message] {
        if (!agents_.contains(message.node)) return;
        if (const auto* const grant = std::get_if<Grant>(&message.message))
          note_wait({message.node, message.stamp.agent_epoch, grant->id});
        act(message.node, [&](LockAgent& agent, Actions& actions) {
          agent.receive(message.stamp, message.message, actions);
        });
      });
  }

  void carry_out(NodeId node, const Actions& out) {
    for (const auto& [stamp, message] : out.to_owner) {
      if (const auto* const request = std::get_if<Request>(&message))
        requests_.try_emplace({node, stamp.agent_epoch, request->id}, Asked{*request, now_});
      post([this, node, stamp = stamp, message = message] {
        ToNodes to_nodes;
        if (stamp.owner_epoch == owner_->epoch() && stamp.agent_epoch > heard_[node]) {
          heard_[node] = stamp.agent_epoch;  // what an earlier life asked for is forgotten
          std::erase_if(arrived_, [&](const auto& one) { return one.first == node; });
        }
        owner_->receive(node, stamp, message, to_nodes);
        check_order(to_nodes);
        carry_out(to_nodes);
      });
    }
    for (const auto& [to, ask] : out.asks)
      post([this, to = to, ask = ask] {
        if (!agents_.contains(to)) return;
        act(to, [&](LockAgent& agent, Actions& actions) { agent.receive(ask, actions); });
      });
    for (const LocalGrant& grant : out.granted) begin_use(grant);
    for (const Reclaim& reclaim : out.reclaims)
      after(random_.below(network_.longest_delay + 1), [this, node, reclaim, life = lives_[node]] {
        if (!agents_.contains(node) || lives_[node] != life) return;
        for (std::uint64_t block = reclaim.blocks.begin;
             block < std::min<std::uint64_t>(reclaim.blocks.end, 10'000); ++block)
          if (const auto found = modified_.find(block); found != modified_.end() && found->second == node)
            modified_.erase(found);
        act(node, [&](LockAgent& agent, Actions& actions) { agent.reclaimed(reclaim.id, actions); });
      });
    if (!out.lost.empty()) fail(fmt::format("node {} lost a token", node));
  }

  void begin_use(const LocalGrant& grant) {
    const auto found = uses_.find(grant.id);
    if (found == uses_.end()) return;
    Use& use = found->second;
    if (use.active) fail(fmt::format("request {} granted twice", grant.id));
    for (const auto& [id, other] : uses_)
      if (other.active && other.client != use.client && other.token.blocks.overlaps(use.token.blocks) &&
          !compatible(other.token.mode, use.token.mode))
        fail(fmt::format("{} and {} use block {}", id, grant.id, use.token.blocks.begin));
    for (const auto& [id, other] : uses_)
      if (id < grant.id && !other.active && other.node == use.node && stand_in_the_way(other, use))
        fail(fmt::format("{} came before {} and waits", id, grant.id));
    if (!grant.token.blocks.covers(use.token.blocks)) fail(fmt::format("{} is not covered", grant.id));
    for (auto block = modified_.lower_bound(use.token.blocks.begin);
         block != modified_.end() && block->first < use.token.blocks.end; ++block)
      if (block->second != use.node)
        fail(fmt::format("block {} of {} is not flushed", block->first, block->second));
    if (use.token.mode == Mode::exclusive)
      for (std::uint64_t block = use.token.blocks.begin; block < use.token.blocks.end; ++block)
        modified_[block] = use.node;
    use.active = true;
    after(use.ticks, [this, id = grant.id, served = grant.served] { end_use(id, served); });
  }

  void end_use(LocalId id, Served served) {
    const auto found = uses_.find(id);
    if (found == uses_.end()) return;  // its client was killed
    const Use use = std::move(found->second);
    uses_.erase(found);
    act(use.node, [&](LockAgent& agent, Actions& out) { agent.release(id, out); });
    if (use.done) use.done(id, served);
  }

  Options options_;
  Network network_;
  Random random_;
  std::unique_ptr<LockOwner> owner_;
  std::map<NodeId, Agent> agents_;
  std::map<NodeId, std::uint64_t> lives_;
  std::map<LocalId, Use> uses_;
  std::map<std::uint64_t, NodeId> modified_;  // blocks that are not flushed, and by whom
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::function<void()>> events_;
  std::uint64_t now_ = 0;
  std::uint64_t last_event_ = 0;
  std::uint64_t last_id_ = 0;
  bool resends_ = false;  // later
  std::uint64_t sent_ = 0;
  std::map<RequestKey, Asked> requests_;             // not granted
  std::map<NodeId, std::uint64_t> heard_;            // the life of each node that the owner knows
  std::vector<std::pair<NodeId, Request>> arrived_;  // at the owner, in this order, not granted
  std::uint64_t longest_wait_ = 0;
  std::string failure_;
};

}  // namespace weir::burst::lock
