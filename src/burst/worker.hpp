#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "burst/agent.hpp"
#include "burst/asking.hpp"
#include "burst/job.hpp"
#include "burst/journal.hpp"
#include "burst/lock_agents.hpp"
#include "burst/lock_owners.hpp"
#include "burst/server_protocol.hpp"
#include "burst/shard.hpp"
#include "transport/fabric.hpp"
#include "transport/host.hpp"
#include "transport/loop.hpp"

namespace weir::burst {

class Server;

// One worker of a server: a thread, its loop, its shard, its journal, its end of the fabric. All but start()
// and stop() happens in its thread.
class Worker : public ShardPorts, public LockPorts {
 public:
  Worker(Server& server, std::uint32_t number);
  ~Worker() override;

  // Reads the journal back.
  Result<void> recover();
  void start();
  void stop();  // waits for the thread

  transport::Loop& loop() { return loop_; }
  void set_fabric(std::unique_ptr<transport::Fabric> fabric);
  transport::Fabric& fabric() { return *fabric_; }

  // A request of a client of this node.
  void from_client(std::uint64_t client, const Bytes& request, Respond respond);
  // A client of this node is there, again it may be, or has left: owners are told behind what it asked them
  // for, and that is not asked again. From any thread.
  void client_joined(std::uint64_t client);
  void client_left(std::uint64_t client);
  // A request for this worker, from wherever.
  void handle(const Bytes& request, Respond respond);

  void send(Home to, Bytes request, std::function<void(Result<Bytes>)> done) override;
  int keep(const std::vector<Change>& changes, bool drains) override;
  std::int64_t now_ns() const override;
  void after(std::chrono::nanoseconds delay, std::function<void()> work) override {
    loop_.after(delay, std::move(work));
  }

 private:
  using Clock = std::chrono::steady_clock;

  void run(const Header& header, ByteSpan body, Respond respond);
  void give_segment(const Header& header, ByteSpan body, Respond respond);
  void about_space(const Header& header, ByteSpan body, Respond respond);
  void fetch(ByteSpan body, Respond respond);
  void write_back(ByteSpan body, Respond respond);
  void flush_all(Respond respond);
  void seal(const Header& header, ByteSpan body, Respond respond);
  void lift_seal();
  // What was written under tokens anywhere is published; an errno.
  void drain_nodes(std::function<void(int)> done);
  Counters counters() const;
  // Asks another server until it answers or the time is up. `client`: of this node, whose request it is,
  // given up when it has left; or 0.
  void ask_peer(Home to, Bytes request, std::uint64_t client, std::function<void(Result<Bytes>)> done);

  void shorten_journal();

  // Not worth rewriting.
  static constexpr std::uint64_t kShortJournal = std::uint64_t{16} << 20;

  Server& server_;
  std::uint32_t number_;
  transport::Loop loop_;
  Asker asker_{loop_};
  std::unique_ptr<transport::Fabric> fabric_;
  std::optional<Journal> journal_;
  std::uint64_t shorten_at_ = kShortJournal;
  Shard shard_;
  LockOwners lock_owners_;
  LockAgents lock_agents_;
  std::set<std::uint64_t> left_;  // clients of this node, as long as something of theirs can be under way
  std::uint64_t sealed_by_ = 0;   // a client
  std::int64_t sealed_since_ns_ = 0;
  std::array<std::uint64_t, 256> handled_{};  // requests so far, by kind
  std::thread thread_;
  // Answers that other workers still owe are dropped when they end: after this one, it may be.
  std::shared_ptr<const bool> life_ = std::make_shared<const bool>(true);
};

}  // namespace weir::burst
