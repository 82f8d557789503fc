#include "burst/lock/owner.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weir::burst::lock {

LockOwner::LockOwner(Options options, std::uint64_t epoch, std::span<const HeldToken> tokens,
                     std::span<const NodeId> nodes)
    : options_(options), epoch_(epoch), awaited_(nodes.begin(), nodes.end()) {
  for (const HeldToken& held : tokens) {
    hold(held.node, held.token);
    awaited_.insert(held.node);
  }
}

void LockOwner::receive(NodeId from, const Stamp& stamp, const ToOwner& message, ToNodes& out) {
  if (stamp.owner_epoch != epoch_) return;  // said to an earlier life
  if (const auto ended = ended_.find(from); ended != ended_.end() && stamp.agent_epoch <= ended->second)
    return;
  Node& node = nodes_[from];
  if (stamp.agent_epoch < node.link.agent_epoch()) return;
  if (stamp.agent_epoch > node.link.agent_epoch()) {
    node.link = Link<ToOwner, FromOwner>(epoch_, stamp.agent_epoch);
    node.handled = 0;
    queue_.remove_if([&](const Waiting& waiting) { return waiting.node == from; });
  }
  for (const ToOwner& next : node.link.receive(stamp, message)) {
    // An agent that begins with anything but a Hello begins with nothing in its hands.
    if (node.handled++ == 0 && !std::holds_alternative<Hello>(next)) {
      drop(from, {0, kLastBlock}, false);
      awaited_.erase(from);
      serve_queue(out);
    }
    std::visit([&](const auto& said) { handle(from, said, out); }, next);
  }
  if (node.link.owes_word()) {
    auto [its_stamp, word] = node.link.word();
    out.push_back({from, its_stamp, std::move(word)});
  }
}

void LockOwner::send(NodeId to, FromOwner message, ToNodes& out) {
  auto [stamp, kept] = nodes_[to].link.send(std::move(message));
  out.push_back({to, stamp, std::move(kept)});
}

void LockOwner::resend(ToNodes& out) const {
  for (const auto& [id, node] : nodes_)
    for (auto& [stamp, message] : node.link.resend()) out.push_back({id, stamp, message});
}

void LockOwner::handle(NodeId from, const Request& request, ToNodes& out) {
  const bool again = std::any_of(queue_.begin(), queue_.end(), [&](const Waiting& waiting) {
    return waiting.node == from && waiting.request.id == request.id;
  });
  if (again || request.blocks.empty()) return;
  queue_.push_back({from, request, false, false});
  serve_queue(out);
}

void LockOwner::handle(NodeId from, const Yield& yield, ToNodes& out) {
  drop(from, yield.blocks, yield.keeps_shared);
  serve_queue(out);
}

void LockOwner::handle(NodeId from, const Hello& hello, ToNodes& out) {
  drop(from, {0, kLastBlock}, false);
  Welcome welcome;
  for (const Token& token : hello.holding) {
    if (taken_by_others(from, token))
      welcome.refused.push_back(token);
    else
      hold(from, token);
  }
  awaited_.erase(from);
  send(from, std::move(welcome), out);
  // Those who wait for it may have asked an earlier life, which is not answered: they are told anew.
  for (Waiting& waiting : queue_) waiting.told = false;
  serve_queue(out);
}

void LockOwner::node_gone(NodeId node, std::uint64_t agent_epoch, ToNodes& out) {
  drop(node, {0, kLastBlock}, false);
  ended_[node] = std::max(ended_[node], agent_epoch);
  nodes_.erase(node);
  awaited_.erase(node);
  queue_.remove_if([&](const Waiting& waiting) { return waiting.node == node; });
  serve_queue(out);
}

// One pass is enough: a grant takes from those behind it in the queue, never gives.
void LockOwner::serve_queue(ToNodes& out) {
  if (recovering()) return;
  for (auto waiting = queue_.begin(); waiting != queue_.end();) {
    if (behind_another(waiting)) {
      waiting->conflicted = true;
      ++waiting;
      continue;
    }
    std::vector<Holder> holders = holders_against(*waiting);
    if (holders.empty()) {
      const Waiting served = *waiting;
      waiting = queue_.erase(waiting);
      grant(served, out);
      continue;
    }
    if (!waiting->told) send(waiting->node, Conflict{waiting->request.id, std::move(holders)}, out);
    waiting->conflicted = waiting->told = true;
    ++waiting;
  }
}

bool LockOwner::behind_another(std::list<Waiting>::const_iterator waiting) const {
  return std::any_of(queue_.begin(), waiting, [&](const Waiting& earlier) {
    return earlier.node != waiting->node && earlier.request.blocks.overlaps(waiting->request.blocks) &&
           !compatible(earlier.request.mode, waiting->request.mode);
  });
}

std::vector<Holder> LockOwner::holders_against(const Waiting& waiting) const {
  const Request& request = waiting.request;
  std::vector<Holder> holders;
  const bool reads = request.mode == Mode::shared;
  if (!(reads ? exclusive_ : readable_).overlaps(request.blocks)) return holders;
  for (const auto& [id, node] : nodes_)
    if (id != waiting.node && (reads ? node.exclusive : node.readable).overlaps(request.blocks))
      holders.push_back({id, node.link.agent_epoch(), node.link.sent()});
  return holders;
}

// Extended only over what nobody holds and nobody else waits for; the node itself neither, for it may have
// given up what it holds in a message that is on its way.
Blocks LockOwner::range_for(const Waiting& waiting) const {
  const Request& request = waiting.request;
  const BlockSet& held = request.mode == Mode::shared ? exclusive_ : readable_;
  Blocks range = request.blocks;
  if (options_.grant == GrantRange::exact) return range;
  const BlockSet& own = nodes_.at(waiting.node).readable;
  range.end = std::min(held.free_above(range.end), own.free_above(range.end));
  if (options_.grant == GrantRange::extend)
    range.begin = std::max(held.free_below(range.begin), own.free_below(range.begin));
  for (const Waiting& other : queue_) {
    const Blocks& wanted = other.request.blocks;
    if (other.node == waiting.node || compatible(other.request.mode, request.mode)) continue;
    if (wanted.begin >= request.blocks.end) range.end = std::min(range.end, wanted.begin);
    if (wanted.end <= request.blocks.begin) range.begin = std::max(range.begin, wanted.end);
  }
  return range;
}

void LockOwner::grant(const Waiting& waiting, ToNodes& out) {
  const Token token{range_for(waiting), waiting.request.mode};
  hold(waiting.node, token);
  send(waiting.node, Grant{waiting.request.id, token, waiting.conflicted, nodes_.at(waiting.node).handled},
       out);
}

void LockOwner::hold(NodeId node, const Token& token) {
  Node& holder = nodes_[node];
  holder.readable.add(token.blocks);
  readable_.add(token.blocks);
  if (token.mode == Mode::shared) return;
  holder.exclusive.add(token.blocks);
  exclusive_.add(token.blocks);
}

void LockOwner::drop(NodeId node, Blocks blocks, bool keeps_shared) {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  Node& holder = found->second;
  for (const Blocks& part : holder.exclusive.within(blocks)) exclusive_.remove(part);
  holder.exclusive.remove(blocks);
  if (keeps_shared) return;
  const std::vector<Blocks> given = holder.readable.within(blocks);
  holder.readable.remove(blocks);
  for (const Blocks& part : given) {
    readable_.remove(part);
    for (const auto& [id, other] : nodes_)
      for (const Blocks& still : other.readable.within(part)) readable_.add(still);
  }
}

bool LockOwner::taken_by_others(NodeId node, const Token& token) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& entry) {
    const auto& [id, other] = entry;
    if (id == node || awaited_.contains(id)) return false;
    return (token.mode == Mode::shared ? other.exclusive : other.readable).overlaps(token.blocks);
  });
}

std::vector<std::pair<NodeId, Request>> LockOwner::queue() const {
  std::vector<std::pair<NodeId, Request>> all;
  for (const Waiting& waiting : queue_) all.emplace_back(waiting.node, waiting.request);
  return all;
}

std::vector<NodeId> LockOwner::nodes() const {
  std::vector<NodeId> all;
  for (const auto& [id, node] : nodes_) all.push_back(id);
  return all;
}

std::vector<HeldToken> LockOwner::tokens() const {
  std::vector<HeldToken> all;
  for (const auto& [id, node] : nodes_) {
    for (const Blocks& run : node.exclusive.runs()) all.push_back({id, {run, Mode::exclusive}});
    BlockSet shared = node.readable;
    for (const Blocks& run : node.exclusive.runs()) shared.remove(run);
    for (const Blocks& run : shared.runs()) all.push_back({id, {run, Mode::shared}});
  }
  return all;
}

}  // namespace weir::burst::lock
