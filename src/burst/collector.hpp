#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "burst/agent.hpp"
#include "burst/shard.hpp"
#include "transport/loop.hpp"

namespace weir::burst {

// Gets the space of a node's segments back. A round takes the segments that no client of the node needs any
// more, asks all owners to give them up, and removes those that no owner still needs.
//
// Why nothing is lost: a client says that it does not need a segment only after the owners have answered
// for all it published from it, and owners are asked after that. So whatever was attached is known to one of
// them. What was written under tokens the owners may not know yet: the node's workers tell them first (a
// drain), after the clients were heard and before the owners are asked. A client that has died says nothing;
// its segments wait until no request of it can be under way.
//
// One thread only, that of the server's first worker.
class Collector {
 public:
  struct Options {
    Layout layout;
    std::uint32_t node = 0;
    std::chrono::milliseconds limit{};  // of a request
  };
  // `agent` and `ports` outlive it; `loop` runs in its thread.
  Collector(const Options& options, const JobServer& server, Agent& agent, ShardPorts& ports,
            transport::Loop& loop);

  // What a client says that it needs.
  void told(std::uint64_t client, const LogUse& use);
  void joined(std::uint64_t client);
  void left(std::uint64_t client);

  // A round of this kind or one that goes further, begun after this call; `then` gets the bytes it brought.
  using Then = std::function<void(std::uint64_t bytes)>;
  void collect(Reclaim how, Then then);
  // A segment was made: when there is little room left, a round begins before there is none.
  void made_one(Reclaim how);

 private:
  using Clock = std::chrono::steady_clock;
  struct Client {
    LogUse use;
    bool here = false;
    Clock::time_point left_at;
  };
  struct Round {
    Reclaim how = Reclaim::unused;
    std::vector<Then> waiting;
    std::vector<SegmentKey> wanted;
    std::set<SegmentKey> needed;
    std::size_t answers_missing = 0;
    bool failed = false;
  };

  bool is_gone(std::uint64_t client);
  std::vector<SegmentKey> unneeded();
  void begin();
  void drained(const Outcome<Nothing>& done);
  void answered(const Outcome<StillNeeded>& answer);
  void end(std::uint64_t bytes);
  void look_later();
  void look_soon();

  Options options_;
  const JobServer& server_;
  Agent& agent_;
  ShardPorts& ports_;
  transport::Loop& loop_;
  Clock::time_point started_ = Clock::now();
  std::map<std::uint64_t, Client> clients_;
  bool under_way_ = false;
  Round now_;
  Round next_;
  std::uint64_t made_at_last_round_ = 0;
  std::uint64_t made_ = 0;
  bool will_look_ = false;
  transport::TimerId look_;
  std::chrono::seconds pause_;
};

}  // namespace weir::burst
