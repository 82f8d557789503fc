#include "burst/lock/agent.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace weir::burst::lock {
namespace {

constexpr std::size_t kAnsweredKept = 256;

}  // namespace

bool LockAgent::covers(Blocks blocks, Mode mode) const {
  return (mode == Mode::shared ? readable_ : exclusive_).covers(blocks);
}

std::vector<Token> LockAgent::tokens() const {
  std::vector<Token> all;
  BlockSet shared = readable_;
  for (const Blocks& run : exclusive_.runs()) {
    all.push_back({run, Mode::exclusive});
    shared.remove(run);
  }
  for (const Blocks& run : shared.runs()) all.push_back({run, Mode::shared});
  return all;
}

// Local requests

void LockAgent::acquire(LocalId id, ClientId client, Blocks blocks, Mode mode, Actions& out) {
  WEIR_CHECK(!blocks.empty(), "request {} for no blocks", id);
  queue_.push_back({id, client, blocks, mode, 0, Served::local});
  go_on(out);
}

void LockAgent::release(LocalId id, Actions& out) {
  pins_.erase(id);
  go_on(out);
}

void LockAgent::client_gone(ClientId client, Actions& out) {
  std::erase_if(pins_, [&](const auto& pin) { return pin.second.client == client; });
  // What is with the owner comes back as a token of the node; the answer finds nobody waiting.
  queue_.remove_if([&](const Waiting& waiting) { return waiting.client == client; });
  recent_.erase(client);
  go_on(out);
}

void LockAgent::note_use(ClientId client, Blocks blocks) {
  Blocks& run = recent_[client];
  if (run.empty() || blocks.begin < run.begin || blocks.begin > run.end)
    run = blocks;
  else
    run.end = std::max(run.end, blocks.end);
}

bool LockAgent::pinned_against(ClientId client, Blocks blocks, Mode mode) const {
  return std::any_of(pins_.begin(), pins_.end(), [&](const auto& entry) {
    const Pin& pin = entry.second;
    return pin.client != client && pin.blocks.overlaps(blocks) && !compatible(pin.mode, mode);
  });
}

// Whoever holds the blocks already stands behind nobody, for those before it may wait for just that.
bool LockAgent::has_pinned(const Waiting& waiting) const {
  return std::any_of(pins_.begin(), pins_.end(), [&](const auto& entry) {
    const Pin& pin = entry.second;
    return pin.client == waiting.client && pin.blocks.covers(waiting.blocks) &&
           (pin.mode == Mode::exclusive || waiting.mode == Mode::shared);
  });
}

// By a local user, by an earlier local request, or because the blocks are about to leave.
bool LockAgent::blocked(std::list<Waiting>::const_iterator waiting) const {
  if (has_pinned(*waiting)) return false;
  if (pinned_against(waiting->client, waiting->blocks, waiting->mode)) return true;
  if (about_to_leave(waiting->blocks)) return true;
  return std::any_of(queue_.begin(), waiting, [&](const Waiting& earlier) {
    return earlier.blocks.overlaps(waiting->blocks) && !compatible(earlier.mode, waiting->mode);
  });
}

void LockAgent::serve_queue(Actions& out) {
  for (auto waiting = queue_.begin(); waiting != queue_.end();) {
    const auto here = waiting++;
    if (here->request != 0 || blocked(here)) continue;
    if (covers(here->blocks, here->mode)) {
      grant_locally(*here, out);
      queue_.erase(here);
    } else if (may_ask()) {
      request(*here, out);
    }
  }
}

bool LockAgent::may_ask() const {
  return options_.grant == GrantRange::exact ||
         std::all_of(outstanding_.begin(), outstanding_.end(),
                     [](const auto& entry) { return entry.second.is_slow; });
}

void LockAgent::let_others_pass(Actions& out) {
  for (auto& [id, request] : outstanding_) request.is_slow = std::exchange(request.is_old, true);
  go_on(out);
}

bool LockAgent::holds_others_up() const {
  return options_.grant != GrantRange::exact &&
         std::any_of(outstanding_.begin(), outstanding_.end(),
                     [](const auto& entry) { return !entry.second.is_slow; });
}

void LockAgent::request(Waiting& waiting, Actions& out) {
  waiting.request = ++last_request_;
  outstanding_.emplace(waiting.request, Outstanding{waiting.blocks, waiting.mode, {}, false, false});
  send(Request{waiting.request, waiting.blocks, waiting.mode}, out);
}

void LockAgent::grant_locally(const Waiting& waiting, Actions& out) {
  switch (waiting.served) {
    case Served::fresh:
      ++counters_.fresh;
      break;
    case Served::local:
      ++counters_.local;
      break;
    case Served::conflict:
      ++counters_.conflict;
      break;
  }
  pins_.emplace(waiting.id, Pin{waiting.client, waiting.blocks, waiting.mode});
  // Who asks for all that may come is not at work there.
  if (waiting.blocks.end != kLastBlock) note_use(waiting.client, waiting.blocks);
  const Mode mode = exclusive_.covers(waiting.blocks) ? Mode::exclusive : Mode::shared;
  const BlockSet& held = mode == Mode::exclusive ? exclusive_ : readable_;
  out.granted.push_back(
      {waiting.id, waiting.client, {held.runs_over(waiting.blocks).front(), mode}, waiting.served});
}

// The owner

void LockAgent::receive(const Stamp& stamp, const FromOwner& message, Actions& out) {
  if (stamp.owner_epoch != link_.owner_epoch() || stamp.agent_epoch != link_.agent_epoch()) return;
  for (const FromOwner& next : link_.receive(stamp, message))
    std::visit([&](const auto& said) { handle(said, out); }, next);
  go_on(out);
  if (link_.owes_word()) out.to_owner.push_back(link_.word());
}

std::list<LockAgent::Waiting>::iterator LockAgent::waiting_for(RequestId id) {
  return std::find_if(queue_.begin(), queue_.end(), [&](const Waiting& w) { return w.request == id; });
}

// The token without what was given up in messages that crossed the grant: the owner takes it away when they
// arrive. That happens when somebody asked for blocks of a request that was behind theirs, and died.
void LockAgent::take(const Grant& grant) {
  const Blocks& granted = grant.token.blocks;
  readable_.add(granted);
  if (grant.token.mode == Mode::exclusive) exclusive_.add(granted);
  while (!yielded_.empty() && yielded_.front().first <= grant.seen) yielded_.pop_front();
  for (const auto& [sequence, yield] : yielded_) {
    const Blocks both{std::max(granted.begin, yield.blocks.begin), std::min(granted.end, yield.blocks.end)};
    if (both.empty()) continue;
    exclusive_.remove(both);
    if (!yield.keeps_shared) readable_.remove(both);
  }
}

void LockAgent::handle(const Grant& grant, Actions& out) {
  if (outstanding_.erase(grant.id) == 0) return;  // not asked for
  take(grant);
  const auto waiting = waiting_for(grant.id);
  if (waiting == queue_.end()) return;  // its client died; the token stays with the node
  if (!covers(waiting->blocks, waiting->mode) || about_to_leave(waiting->blocks)) {
    waiting->request = 0;  // once more when it has left
    return;
  }
  // At once, before anybody can ask for it: a request that is granted has made progress.
  waiting->served = grant.conflicted ? Served::conflict : Served::fresh;
  grant_locally(*waiting, out);
  queue_.erase(waiting);
}

void LockAgent::handle(const Conflict& conflict, Actions& out) {
  const auto request = outstanding_.find(conflict.id);
  if (request == outstanding_.end()) return;
  request->second.holders = conflict.holders;
  ask_holders(request->first, request->second, out);
}

void LockAgent::handle(const Welcome& welcome, Actions& out) {
  for (const Token& token : welcome.refused) {
    exclusive_.remove(token.blocks);
    readable_.remove(token.blocks);
    out.lost.push_back(token);
  }
}

void LockAgent::ask_holders(RequestId id, const Outstanding& request, Actions& out) const {
  for (const Holder& holder : request.holders)
    out.asks.emplace_back(holder.node, Ask{.asker = node_,
                                           .asker_epoch = link_.agent_epoch(),
                                           .id = id,
                                           .blocks = request.blocks,
                                           .mode = request.mode,
                                           .owner_epoch = link_.owner_epoch(),
                                           .epoch = holder.epoch,
                                           .after = holder.after});
}

void LockAgent::owner_restarted(std::uint64_t owner_epoch, Actions& out) {
  if (owner_epoch <= link_.owner_epoch()) return;
  link_ = Link<FromOwner, ToOwner>(owner_epoch, link_.agent_epoch());
  // The order of requests may be another one now, and with it who asks whom.
  answered_.clear();
  yielded_.clear();
  send(Hello{tokens()}, out);
  std::erase_if(outstanding_, [&](const auto& entry) { return waiting_for(entry.first) == queue_.end(); });
  for (auto& [id, request] : outstanding_) {
    request.holders.clear();
    send(Request{id, request.blocks, request.mode}, out);
  }
  go_on(out);
}

void LockAgent::adopt(const std::vector<Token>& tokens) {
  for (const Token& token : tokens) {
    readable_.add(token.blocks);
    if (token.mode == Mode::exclusive) exclusive_.add(token.blocks);
  }
}

void LockAgent::resend(Actions& out) {
  for (auto& sent : link_.resend()) out.to_owner.push_back(std::move(sent));
  for (const auto& [id, request] : outstanding_) ask_holders(id, request, out);
}

// Other agents

void LockAgent::receive(const Ask& ask, Actions& out) {
  if (ask.owner_epoch < link_.owner_epoch() || ask.epoch != link_.agent_epoch() || ask.blocks.empty()) return;
  const auto same = [&](const Ask& other) { return other.same_as(ask); };
  if (std::any_of(answered_.begin(), answered_.end(), same)) return;
  const bool again = std::any_of(asked_of_us_.begin(), asked_of_us_.end(), same);
  if (!again) asked_of_us_.push_back(ask);
  go_on(out);
}

bool LockAgent::about_to_leave(Blocks blocks) const {
  return std::any_of(leaving_.begin(), leaving_.end(),
                     [&](const auto& entry) { return entry.second.blocks.overlaps(blocks); });
}

std::map<std::uint64_t, Blocks> LockAgent::leaving_blocks() const {
  std::map<std::uint64_t, Blocks> all;
  for (const auto& [id, leaving] : leaving_) all.emplace(id, leaving.blocks);
  return all;
}

// An ask may come before the grant that it is about, and while the blocks are leaving for somebody else.
void LockAgent::answer_asks(Actions& out) {
  std::erase_if(asked_of_us_, [&](const Ask& ask) { return ask.owner_epoch < link_.owner_epoch(); });
  for (auto ask = asked_of_us_.begin(); ask != asked_of_us_.end();) {
    if (ask->owner_epoch != link_.owner_epoch() || link_.received() < ask->after ||
        about_to_leave(ask->blocks)) {
      ++ask;
      continue;
    }
    answer(*ask);
    ask = asked_of_us_.erase(ask);
  }
  reclaim_what_is_unused(out);
}

void LockAgent::answer(const Ask& ask) {
  const bool reads = ask.mode == Mode::shared;
  for (const Blocks& run : (reads ? exclusive_ : readable_).runs_over(ask.blocks))
    leaving_.emplace(++last_leaving_, Leaving{part_to_leave(run, ask.blocks), reads, false});
  answered_.push_back(ask);
  if (answered_.size() > kAnsweredKept) answered_.pop_front();
}

// What must stay beyond what was asked for: blocks that leave already, and those of requests that are with
// the owner, who may have granted them in the belief that the node holds a part.
std::vector<Blocks> LockAgent::not_to_leave() const {
  std::vector<Blocks> ranges;
  for (const auto& [id, leaving] : leaving_) ranges.push_back(leaving.blocks);
  for (const auto& [id, request] : outstanding_) ranges.push_back(request.blocks);
  return ranges;
}

Blocks LockAgent::part_to_leave(Blocks run, Blocks needed) const {
  Blocks part{std::max(run.begin, needed.begin), std::min(run.end, needed.end)};
  if (options_.settle == Settle::split && options_.grant == GrantRange::exact) return part;
  // Who holds a part of it may need what is beside it before that is released.
  if (std::any_of(pins_.begin(), pins_.end(),
                  [&](const auto& pin) { return pin.second.blocks.overlaps(part); }))
    return part;
  std::vector<Blocks> staying = not_to_leave();
  Blocks widest{part.begin, run.end};
  if (options_.settle == Settle::split) {  // what clients here are at stays too
    for (const auto& [client, blocks] : recent_) staying.push_back(blocks);
    for (const auto& [id, pin] : pins_) staying.push_back(pin.blocks);
  } else {
    widest.begin = run.begin;
  }
  for (const Blocks& blocks : staying) {
    if (blocks.end > part.end) widest.end = std::min(widest.end, std::max(blocks.begin, part.end));
    if (blocks.begin < part.begin) widest.begin = std::max(widest.begin, std::min(blocks.end, part.begin));
  }
  return widest;
}

void LockAgent::reclaim_what_is_unused(Actions& out) {
  for (auto& [id, leaving] : leaving_) {
    if (leaving.reclaiming) continue;
    const Mode still_allowed = leaving.keeps_shared ? Mode::shared : Mode::exclusive;
    const bool used = std::any_of(pins_.begin(), pins_.end(), [&](const auto& entry) {
      return entry.second.blocks.overlaps(leaving.blocks) && !compatible(entry.second.mode, still_allowed);
    });
    if (used) continue;
    leaving.reclaiming = true;
    out.reclaims.push_back({id, leaving.blocks, exclusive_.overlaps(leaving.blocks), leaving.keeps_shared});
  }
}

void LockAgent::reclaimed(std::uint64_t id, Actions& out) {
  const auto found = leaving_.find(id);
  if (found == leaving_.end()) return;
  const Leaving leaving = found->second;
  leaving_.erase(found);
  exclusive_.remove(leaving.blocks);
  if (!leaving.keeps_shared) readable_.remove(leaving.blocks);
  const Yield yield{leaving.blocks, leaving.keeps_shared};
  send(yield, out);
  yielded_.emplace_back(link_.sent(), yield);
  go_on(out);
}

void LockAgent::go_on(Actions& out) {
  answer_asks(out);
  serve_queue(out);
}

}  // namespace weir::burst::lock
