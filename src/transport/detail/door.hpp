#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <sys/types.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "transport/bytes.hpp"

namespace weir::transport::detail {

// The socket at which clients knock, their connections, and the notice of their end. Knows nothing of memory
// and secrets: who comes is shown to `greet`, who goes is reported once. Used by one thread.
class Door {
 public:
  struct Visitor {
    UniqueFd socket;
    pid_t pid = 0;
    Bytes hello;
  };
  // Decides about a visitor who has said something: keep() makes it a client, destroying it shuts the door.
  using Greet = std::function<void(Visitor visitor)>;
  using Gone = std::function<void(std::uint64_t client)>;

  static Result<std::unique_ptr<Door>> open(const std::string& path);
  ~Door();

  int descriptor() const { return epoll_.get(); }
  Result<void> watch_bell(int bell);  // makes the descriptor readable too
  // Handles what has happened. Visitors of another user are turned away and counted.
  void poll(const Greet& greet, const Gone& gone);
  // From now on the visitor is a client, whose end will be reported; unless it cannot be watched.
  Result<void> keep(std::uint64_t client, Visitor visitor);
  bool is_over(std::uint64_t client) const;  // its connection has ended and that was not reported yet
  void shut(std::uint64_t client);           // its end will be reported like any other
  std::uint64_t turned_away() const { return turned_away_; }

 private:
  struct Connection {
    Visitor visitor;
    UniqueFd process;  // a pidfd: a forked child may hold the socket longer than the client lives
    std::optional<std::uint64_t> client;
  };
  using Connections = std::map<std::uint64_t, Connection>;  // by an id of the epoll's

  Door() = default;
  Result<void> bind(const std::string& path);
  void accept_all();
  void admit(UniqueFd socket);
  void hear_visitor(Connections::iterator visitor, const Greet& greet);
  bool watch(int fd, std::uint64_t id) const;

  std::string path_;
  UniqueFd lock_;
  UniqueFd listener_;
  UniqueFd epoll_;
  std::uint64_t last_id_ = 0;
  Connections connections_;
  std::atomic<std::uint64_t> turned_away_ = 0;
};

}  // namespace weir::transport::detail
