#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/unique_fd.hpp"
#include "transport/detail/bells.hpp"
#include "transport/detail/door.hpp"
#include "transport/detail/handshake.hpp"
#include "transport/detail/roster.hpp"
#include "transport/host.hpp"

namespace weir::transport::detail {

// Who becomes a client of the host and how one ends. Worker 0's thread, but for attention().
class Reception {
 public:
  Reception(const HostOptions& options, std::unique_ptr<Door> door, Roster& roster, Bells& bells,
            std::vector<Placement>& placements);

  int descriptor() const { return door_->descriptor(); }
  void poll();
  bool wants_attention() const { return attention_.load(std::memory_order_relaxed); }
  // From any worker: a client was condemned, or a view has followed while one is leaving.
  void attention();
  bool somebody_leaves() const { return leaving_count_.load() != 0; }

  Result<void> share(UniqueFd region, std::size_t bytes);
  Host::Counts counts() const;
  std::shared_ptr<ClientLink> find_leaving(std::uint64_t client) const;

  std::function<void(std::uint64_t, pid_t)> on_join;
  std::function<void(std::uint64_t)> on_leave;

 private:
  struct Region {
    UniqueFd fd;
    std::size_t bytes;
  };
  struct Leaving {
    std::shared_ptr<ClientLink> link;
    std::uint64_t version;
  };

  void greet(Door::Visitor visitor);
  void welcome(Door::Visitor visitor, const Hello& hello);
  void refuse(const Door::Visitor& visitor, Verdict verdict);
  Result<void> send_welcome(int socket, const ClientLink& link);
  std::uint64_t new_number() const;
  bool is_leaving(std::uint64_t client) const;
  void begin_leave(std::uint64_t client);
  void finish_leaves();
  void drop_condemned();

  HostOptions options_;
  std::unique_ptr<Door> door_;
  Roster& roster_;
  Bells& bells_;
  std::vector<Placement>& placements_;  // by worker
  std::vector<Region> regions_;
  mutable std::mutex mutex_;  // guards leaving_ for find_leaving()
  std::vector<Leaving> leaving_;
  std::vector<Door::Visitor> parked_;  // wait until the client they want to resume has left
  std::atomic<std::uint32_t> leaving_count_ = 0;
  std::atomic<bool> attention_ = false;
  std::atomic<std::uint64_t> joined_ = 0, refused_ = 0, condemned_ = 0;
};

}  // namespace weir::transport::detail
