#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

#include "base/fork_mark.hpp"
#include "burst/job.hpp"
#include "burst/protocol.hpp"
#include "transport/channel.hpp"

namespace weir::burst {

// A process's conversation with its node's server. Any thread may ask. When the server goes away it is looked
// for again until the job's time limit has passed, and the question is put once more: the server knows by its
// number whether it was answered before. A forked child has no part in it: it gets EIO at once.
class Session {
 public:
  static Result<std::unique_ptr<Session>> connect(const Job& job, std::uint32_t node);

  // EIO when no answer came within the limit; what waits for a disk is given up when the server is gone for
  // so long.
  template <class Body>
  Outcome<typename Body::Answer> ask(Home to, const Body& body) {
    const Header header{.kind = Body::kKind,
                        .to_server = to.server,
                        .client = client_,
                        .sequence = changes(Body::kKind) ? ++sequence_ : 0};
    return decode_answer<typename Body::Answer>(
        exchange(Body::kKind, to.worker, encode_request(header, body)));
  }

  std::uint64_t client() const { return client_; }
  std::uint32_t node() const { return node_; }
  // It answered when it was last asked, and has not gone since.
  bool is_reachable() const { return reachable_.load(std::memory_order_relaxed) && !channel()->is_gone(); }
  const Job& job() const { return job_; }
  // What must not be closed behind its back.
  std::vector<int> descriptors() const { return channel()->descriptors(); }
  // What of the answers the process waited for, and how often.
  std::uint64_t questions() const { return questions_.load(std::memory_order_relaxed); }

 private:
  Session(Job job, std::uint32_t node, std::shared_ptr<transport::Channel> channel);
  using Clock = std::chrono::steady_clock;

  Result<Bytes> exchange(Kind kind, std::uint32_t worker, const Bytes& request);
  std::shared_ptr<transport::Channel> channel() const;
  // Replaces a channel that has failed, unless another thread did already.
  void reconnect(const std::shared_ptr<transport::Channel>& failed, Clock::time_point deadline);

  Job job_;
  std::uint32_t node_;
  std::uint64_t client_;
  std::atomic<std::uint64_t> sequence_ = 0;
  std::atomic<std::uint64_t> questions_ = 0;
  std::atomic<bool> reachable_ = true;
  ForkMark mark_;
  mutable std::mutex mutex_;  // guards channel_
  std::shared_ptr<transport::Channel> channel_;
};

}  // namespace weir::burst
