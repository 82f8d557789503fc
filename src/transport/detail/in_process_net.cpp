#include "transport/detail/in_process_net.hpp"

#include <algorithm>

#include <sys/timerfd.h>
#include <unistd.h>

#include "base/check.hpp"
#include "base/checksum.hpp"

namespace weir::transport::detail {

using Clock = std::chrono::steady_clock;

Inbox::Inbox() : timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  WEIR_CHECK(static_cast<bool>(timer_), "no descriptors left for an in-process network");
}

void Inbox::set_timer(std::optional<Clock::time_point> when) {
  itimerspec spec{};
  if (when) {  // 0 would switch it off
    const auto at = std::max<std::int64_t>(when->time_since_epoch().count(), 1);
    spec.it_value = {.tv_sec = at / 1'000'000'000, .tv_nsec = at % 1'000'000'000};
  }
  WEIR_CHECK(::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &spec, nullptr) == 0);
}

void Inbox::put(Message message, Clock::time_point when) {
  const std::lock_guard lock(mutex_);
  const auto placed = messages_.emplace(std::pair(when, ++serial_), std::move(message)).first;
  if (armed_ && placed == messages_.begin()) set_timer(when);
}

std::optional<Message> Inbox::take() {
  const std::lock_guard lock(mutex_);
  if (armed_) {
    armed_ = false;
    set_timer({});  // makes the descriptor unreadable as well
  }
  if (messages_.empty() || messages_.begin()->first.first > Clock::now()) return {};
  return std::move(messages_.extract(messages_.begin()).mapped());
}

bool Inbox::arm() {
  const std::lock_guard lock(mutex_);
  if (!messages_.empty()) {
    if (messages_.begin()->first.first <= Clock::now()) return false;
    set_timer(messages_.begin()->first.first);
  }
  armed_ = true;
  return true;
}

void Inbox::drop_from(const std::string& sender) {
  const std::lock_guard lock(mutex_);
  std::erase_if(messages_, [&](const auto& item) {
    return item.second.from_address == sender && item.second.kind != MessageKind::gone;
  });
}

}  // namespace weir::transport::detail

namespace weir::transport {

using detail::Clock;
using detail::Inbox;
using detail::Message;
using detail::MessageKind;

Random& InProcessNet::State::fate(const std::string& from, const std::string& to) {
  const auto link = std::pair(from, to);
  const auto found = fates.find(link);
  if (found != fates.end()) return found->second;
  return fates.emplace(link, Random(seed, checksum(as_bytes(from + '\n' + to)))).first->second;
}

void InProcessNet::State::join(const std::string& address, Inbox* inbox) {
  const std::lock_guard lock(mutex);
  WEIR_CHECK(ends.emplace(address, inbox).second, "somebody is at {} already", address);
}

void InProcessNet::State::leave(const std::string& address) {
  const std::lock_guard lock(mutex);
  ends.erase(address);
  for (const auto& [other, inbox] : ends)
    if (!cuts.contains({address, other}))
      inbox->put({.kind = MessageKind::gone, .from_address = address, .bytes = {}}, Clock::now());
}

void InProcessNet::State::hang_up(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex);
  const auto found = ends.find(to);
  if (found == ends.end() || cuts.contains({from, to})) return;
  Inbox& inbox = *found->second;
  inbox.put({.kind = MessageKind::gone, .from_address = from, .bytes = {}},
            std::max(Clock::now(), inbox.latest_from(from)));
}

void InProcessNet::State::send(const std::string& from, const std::string& to, Message message) {
  const std::lock_guard lock(mutex);
  ++counts.sent;
  Random& random = fate(from, to);
  // Always the same number of draws, so that a fault more or less leaves the others as they are.
  const double drop = random.uniform(), duplicate = random.uniform();
  const double delays[2] = {random.uniform(), random.uniform()};
  if (cuts.contains({from, to}) || drop < faults.drop) {
    ++counts.dropped;
    return;
  }
  const auto now = Clock::now();
  const auto found = ends.find(to);
  if (found == ends.end()) {
    if (message.kind == MessageKind::request && ends.contains(from))
      ends[from]->put({.kind = MessageKind::gone, .from_address = to, .bytes = {}}, now);
    return;
  }
  Inbox& inbox = *found->second;
  message.from_address = from;
  const auto arrival = [&](double share) {
    const auto range = faults.longest_delay - faults.shortest_delay;
    auto when =
        now + faults.shortest_delay +
        std::chrono::nanoseconds(static_cast<std::int64_t>(share * static_cast<double>(range.count())));
    if (!faults.reorder) when = inbox.latest_from(from) = std::max(when, inbox.latest_from(from));
    return when;
  };
  if (duplicate < faults.duplicate) {
    ++counts.duplicated;
    inbox.put(message, arrival(delays[0]));
    inbox.put(std::move(message), arrival(delays[1]));
  } else {
    inbox.put(std::move(message), arrival(delays[0]));
  }
}

}  // namespace weir::transport
