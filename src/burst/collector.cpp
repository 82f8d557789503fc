#include "burst/collector.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "burst/lock_protocol.hpp"

namespace weir::burst {
namespace {

// How long after a change one looks for unused segments, and how seldom when there are none.
constexpr std::chrono::seconds kSoon{2};
constexpr std::chrono::seconds kSeldom{64};
// So many segments are made between two rounds that nobody waits for.
constexpr std::uint64_t kBetween = 2;

}  // namespace

Collector::Collector(const Options& options, const JobServer& server, Agent& agent, ShardPorts& ports,
                     transport::Loop& loop)
    : options_(options), server_(server), agent_(agent), ports_(ports), loop_(loop), pause_(kSoon) {}

void Collector::told(std::uint64_t client, const LogUse& use) {
  Client& known = clients_[client];
  if (known.use == use) return;
  known.use = use;
  look_soon();
}

void Collector::joined(std::uint64_t client) { clients_[client].here = true; }

void Collector::left(std::uint64_t client) {
  Client& known = clients_[client];
  known.here = false;
  known.left_at = Clock::now();
  look_soon();
}

// It is neither connected nor alive, and what it had asked before it died is answered or dropped.
bool Collector::is_gone(std::uint64_t client) {
  const auto known = clients_.find(client);
  if (known != clients_.end() && known->second.here) return false;
  const auto since = known == clients_.end() ? started_ : std::max(started_, known->second.left_at);
  const auto patience = options_.limit + options_.limit / 4;
  return Clock::now() - since > patience && !holder_lives(server_, client);
}

std::vector<SegmentKey> Collector::unneeded() {
  std::vector<SegmentKey> wanted;
  std::map<std::uint64_t, bool> gone;
  std::set<std::uint64_t> with_segments;
  for (const SegmentKey& key : agent_.store().keys()) {
    with_segments.insert(key.client);
    const auto known = clients_.find(key.client);
    const bool done_with = known != clients_.end() && key.number <= known->second.use.through &&
                           !std::ranges::binary_search(known->second.use.needed, std::uint64_t{key.number});
    if (!done_with && !gone.contains(key.client)) gone[key.client] = is_gone(key.client);
    if (done_with || gone[key.client]) wanted.push_back(key);
  }
  std::erase_if(clients_, [&](const auto& row) {
    const auto& [client, known] = row;
    if (known.here || with_segments.contains(client) || holder_lives(server_, client)) return false;
    ::unlink(life_of(server_, client).c_str());
    return true;
  });
  return wanted;
}

void Collector::collect(Reclaim how, Then then) {
  next_.how = std::max(next_.how, how);
  next_.waiting.push_back(std::move(then));
  if (!under_way_) begin();
}

void Collector::made_one(Reclaim how) {
  ++made_;
  if (under_way_ || made_ < made_at_last_round_ + kBetween || !agent_.store().is_nearly_full()) return;
  collect(how, [](std::uint64_t) {});
}

void Collector::begin() {
  under_way_ = true;
  made_at_last_round_ = made_;
  now_ = std::exchange(next_, {});
  now_.wanted = unneeded();
  if (now_.wanted.empty()) return end(0);
  now_.answers_missing = options_.layout.workers;
  for (std::uint32_t worker = 0; worker < options_.layout.workers; ++worker)
    ports_.send({options_.node, worker}, encode_request({.to_server = options_.node}, LockDrain{}),
                [this](const Result<Bytes>& answer) { drained(decode_answer<Nothing>(answer)); });
}

void Collector::drained(const Outcome<Nothing>& done) {
  if (!done) now_.failed = true;
  if (--now_.answers_missing != 0) return;
  if (now_.failed) return end(0);
  const GiveUp request{.node = options_.node, .how = now_.how, .segments = now_.wanted};
  now_.answers_missing = std::size_t{options_.layout.servers} * options_.layout.workers;
  for (std::uint32_t server = 0; server < options_.layout.servers; ++server)
    for (std::uint32_t worker = 0; worker < options_.layout.workers; ++worker)
      ports_.send({server, worker}, encode_request({.to_server = server}, request),
                  [this](const Result<Bytes>& answer) { answered(decode_answer<StillNeeded>(answer)); });
}

void Collector::answered(const Outcome<StillNeeded>& answer) {
  // An owner that does not answer may need any of them.
  if (!answer) now_.failed = true;
  now_.needed.insert(answer.body.segments.begin(), answer.body.segments.end());
  if (--now_.answers_missing != 0) return;
  std::vector<SegmentKey> free;
  if (!now_.failed)
    std::ranges::copy_if(now_.wanted, std::back_inserter(free),
                         [&](const SegmentKey& key) { return !now_.needed.contains(key); });
  if (free.empty()) return end(0);
  agent_.remove(std::move(free), [this](std::uint64_t bytes) { loop_.post([this, bytes] { end(bytes); }); });
}

void Collector::end(std::uint64_t bytes) {
  // Whoever waits may ask for the next round at once.
  const auto waiting = std::exchange(now_.waiting, {});
  under_way_ = false;
  for (const Then& then : waiting) then(bytes);
  pause_ = bytes > 0 ? kSoon : std::min(pause_ * 2, kSeldom);
  if (!under_way_ && !next_.waiting.empty()) begin();
  look_later();
}

// As long as there are segments, something may become unused that nobody tells of: overwritten, unlinked.
void Collector::look_later() {
  if (will_look_ || agent_.store().counts().segments == 0) return;
  will_look_ = true;
  look_ = loop_.after(pause_, [this] {
    will_look_ = false;
    if (under_way_) return look_later();
    collect(Reclaim::unused, [](std::uint64_t) {});
  });
}

void Collector::look_soon() {
  if (pause_ > kSoon) {
    loop_.cancel(look_);
    will_look_ = false;
  }
  pause_ = kSoon;
  look_later();
}

}  // namespace weir::burst
