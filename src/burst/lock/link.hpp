#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "burst/lock/message.hpp"

namespace weir::burst::lock {

// One end of the link between an owner and an agent. What comes in is handed on once and in the order it was
// sent, whatever the transport does to it; what goes out is kept until the other end has it, for resend().
template <class In, class Out>
class Link {
 public:
  Link() = default;
  Link(std::uint64_t owner_epoch, std::uint64_t agent_epoch)
      : owner_epoch_(owner_epoch), agent_epoch_(agent_epoch) {}

  using Sent = std::pair<Stamp, Out>;

  Sent send(Out message) {
    Sent sent{stamp(++sent_), std::move(message)};
    unanswered_ = 0;
    kept_.push_back(sent);
    return sent;
  }
  // What can be handled now: nothing, `message`, or with it what came too early before.
  std::vector<In> receive(const Stamp& stamp, In message) {
    while (!kept_.empty() && kept_.front().first.sequence <= stamp.acknowledged) kept_.pop_front();
    if (stamp.sequence == 0) return {};
    ++unanswered_;
    if (stamp.sequence > received_) early_.emplace(stamp.sequence, std::move(message));
    std::vector<In> ready;
    for (auto next = early_.begin(); next != early_.end() && next->first == received_ + 1;
         next = early_.erase(next)) {
      ready.push_back(std::move(next->second));
      ++received_;
    }
    return ready;
  }
  // Everything the other end may lack; for a transport that loses messages.
  std::vector<Sent> resend() const {
    std::vector<Sent> again(kept_.begin(), kept_.end());
    for (Sent& sent : again) sent.first.acknowledged = received_;
    return again;
  }
  // So much has come in since something went out that the other end should be told to forget it.
  bool owes_word() const { return unanswered_ >= 64; }
  Sent word() {
    unanswered_ = 0;
    return {stamp(0), Out{}};
  }

  std::uint64_t sent() const { return sent_; }
  std::uint64_t received() const { return received_; }
  std::uint64_t owner_epoch() const { return owner_epoch_; }
  std::uint64_t agent_epoch() const { return agent_epoch_; }

 private:
  Stamp stamp(std::uint64_t sequence) const { return {owner_epoch_, agent_epoch_, sequence, received_}; }

  std::uint64_t owner_epoch_ = 0;
  std::uint64_t agent_epoch_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t unanswered_ = 0;
  std::deque<Sent> kept_;
  std::map<std::uint64_t, In> early_;
};

}  // namespace weir::burst::lock
