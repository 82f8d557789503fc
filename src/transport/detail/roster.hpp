#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "transport/detail/client_link.hpp"

namespace weir::transport::detail {

// The clients of a host, as its workers share them. Each worker looks at a view of its own, which costs one
// load of a word while nothing changes; so a client that was removed is gone for good only when all views
// have followed.
class Roster {
 public:
  using Links = std::vector<std::shared_ptr<ClientLink>>;
  struct View {
    std::uint64_t version = 0;
    Links links;
  };

  explicit Roster(unsigned workers) : seen_(workers) {}

  void add(std::shared_ptr<ClientLink> link);
  // The version of the roster from which on the client is not in it.
  std::uint64_t remove(std::uint64_t client);
  std::shared_ptr<ClientLink> find(std::uint64_t client) const;
  Links all() const;

  bool is_current(const View& view) const { return view.version == version_.load(); }
  void refresh(unsigned worker, View& view);  // in the worker's thread
  bool all_have_seen(std::uint64_t version) const;

 private:
  mutable std::mutex mutex_;  // guards links_
  Links links_;
  std::atomic<std::uint64_t> version_ = 0;
  std::vector<std::atomic<std::uint64_t>> seen_;
};

}  // namespace weir::transport::detail
