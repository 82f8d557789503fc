#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "burst/agent.hpp"
#include "burst/backing.hpp"
#include "burst/collector.hpp"
#include "burst/grants.hpp"
#include "burst/job.hpp"
#include "burst/worker.hpp"

namespace weir::burst {

// A node's server: agent and owner. Made, told the others' addresses, run, stopped.
class Server {
 public:
  // How servers reach each other: UCX between nodes, something in memory in tests.
  using MakeFabric = std::function<Result<std::unique_ptr<transport::Fabric>>(transport::Loop& loop)>;

  // Reads the journals back and listens; clients are served once it runs.
  static Result<std::unique_ptr<Server>> make(const Job& job, std::uint32_t number,
                                              const MakeFabric& make_fabric);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::vector<std::string> addresses() const;  // one a worker
  // `addresses` of all servers, in their order.
  void start(const std::vector<std::vector<std::string>>& addresses);
  // Ends the workers, and with them all conversations. What is published stays in journals and segments.
  void stop();
  // Called, in some thread, when a client or another server has asked it to stop.
  void on_stop_asked(std::function<void(bool remove)> told) { stop_asked_ = std::move(told); }
  // What is published goes to the backing directory. Blocks; not from a worker's thread.
  Outcome<Flushed> flush_all();
  // Nothing stays of its buffer. After stop().
  void remove_files();

  // --- for workers ---
  const Job& job() const { return job_; }
  std::uint32_t number() const { return number_; }
  Agent& agent() { return agent_; }
  Collector& collector() { return *collector_; }  // the first worker's
  Grants& grants() { return *grants_; }
  const Backing& backing() const { return backing_; }
  Worker& worker(std::uint32_t number) { return *workers_[number]; }
  void stop_asked(bool remove) {
    if (stop_asked_) stop_asked_(remove);
  }

 private:
  Server(Job job, std::uint32_t number, Backing backing);

  Job job_;
  std::uint32_t number_;
  Backing backing_;
  Agent agent_;
  std::unique_ptr<Collector> collector_;
  std::unique_ptr<Grants> grants_;
  std::unique_ptr<transport::Host> host_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::function<void(bool)> stop_asked_;
  bool running_ = false;
};

}  // namespace weir::burst
