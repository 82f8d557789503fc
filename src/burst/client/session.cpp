#include "burst/client/session.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "base/uncancelled.hpp"

namespace weir::burst {
namespace {

using namespace std::chrono_literals;

transport::ChannelOptions channel_options(const Job& job, std::uint32_t node, std::uint64_t client) {
  return {.socket = socket_of(job.servers[node]).string(),
          .secret = job.secret,
          .version = kProtocolVersion,
          .resume = client};
}

}  // namespace

Result<std::unique_ptr<Session>> Session::connect(const Job& job, std::uint32_t node) {
  if (node >= job.servers.size()) return Error{Errc::usage, fmt::format("the job has no server {}", node)};
  auto channel =
      transport::Channel::connect(channel_options(job, node, 0), std::chrono::milliseconds(job.limit_ms));
  if (!channel) return channel.error().in(fmt::format("server {} of job {}", node, job.id));
  return std::unique_ptr<Session>(new Session(job, node, std::move(*channel)));
}

Session::Session(Job job, std::uint32_t node, std::shared_ptr<transport::Channel> channel)
    : job_(std::move(job)), node_(node), client_(channel->client()), channel_(std::move(channel)) {}

std::shared_ptr<transport::Channel> Session::channel() const {
  const std::lock_guard lock(mutex_);
  return channel_;
}

void Session::reconnect(const std::shared_ptr<transport::Channel>& failed, Clock::time_point deadline) {
  const std::lock_guard lock(mutex_);
  if (channel_ != failed) return;
  const auto left = std::clamp<Clock::duration>(deadline - Clock::now(), 1ms, 1s);
  if (auto again = transport::Channel::connect(channel_options(job_, node_, client_), left))
    channel_ = std::move(*again);
}

Result<Bytes> Session::exchange(Kind kind, std::uint32_t worker, const Bytes& request) {
  // The number is the parent's, and with it all that it has asked.
  if (!mark_.is_here()) return Error{Errc::usage, "a forked child cannot use its parent's connection"};
  questions_.fetch_add(1, std::memory_order_relaxed);
  const Clock::duration limit = std::chrono::milliseconds(job_.limit_ms);
  const bool is_slow = waits_for_a_disk(kind);
  auto deadline = Clock::now() + (is_slow ? kDiskPatience : limit);
  Clock::duration pause = 50us;
  for (;;) {
    const auto through = channel();
    auto answer = through->call(worker, request, deadline - Clock::now());
    if (answer) {
      ByteSpan rest(*answer);
      reachable_.store(true, std::memory_order_relaxed);
      if (decode_status(rest) != kAskAgain) return answer;
    } else if (answer.error().code() == Errc::too_big) {
      return answer;
    }
    // Whatever it is that asks, this is no point of cancellation.
    const Uncancelled work;
    if (answer) {
      std::this_thread::sleep_for(pause);
    } else {
      if (is_slow) deadline = std::min(deadline, Clock::now() + limit);
      reconnect(through, deadline);
      if (channel() == through) std::this_thread::sleep_for(pause);
    }
    if (Clock::now() >= deadline) {
      reachable_.store(false, std::memory_order_relaxed);
      return Error{Errc::io, "no answer within the time limit"};
    }
    pause = std::min<Clock::duration>(pause * 2, 20ms);
  }
}

}  // namespace weir::burst
