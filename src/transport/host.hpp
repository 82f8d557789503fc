#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <sys/types.h>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "transport/respond.hpp"
#include "transport/secret.hpp"
#include "transport/source.hpp"

namespace weir::transport {

struct HostOptions {
  std::string socket;          // in a directory of its own, mode 0700; the directory is made if it is missing
  Secret secret;               // what a client must know
  std::uint32_t version = 0;   // what a client must have
  unsigned workers = 1;        // 1 to 64
  std::size_t area_bytes = 0;  // private area shared by one client and the host
};

// The server's end of the shared memory between the clients of a node and their server. A Unix socket is for
// the handshake and to notice that the other side is gone; requests and answers go through memory
// (detail/layout.hpp). Made before the workers' loops run and destroyed after they have ended; sources are
// removed before.
class Host {
 public:
  // In the thread of the worker that the client called. A client whose request is blamed (respond.hpp) is
  // dropped.
  using Handler = std::function<void(std::uint64_t client, Bytes request, Respond respond)>;

  // The socket is bound and clients may connect; they are welcomed once worker 0's loop runs. A socket left
  // behind by a server that was killed is replaced, that of one that runs is not.
  static Result<std::unique_ptr<Host>> listen(HostOptions options);
  ~Host();  // clients that wait get an error

  Source& source(unsigned worker);  // for that worker's Loop; the handshake is done by worker 0's
  void serve(unsigned worker, Handler handler);

  // In worker 0's thread. The number is new, or the one that the client had before its connection ended. Join
  // comes before the client's first request; leave (the process is gone, has disconnected or broke the rules)
  // after its last: no worker handles one of its requests any more. Answers to those still out are dropped.
  void on_join(std::function<void(std::uint64_t client, pid_t pid)> told);
  void on_leave(std::function<void(std::uint64_t client)> told);

  // Empty when the client is gone; valid until on_leave() has returned. From any thread.
  std::span<std::byte> area(std::uint64_t client) const;

  // A memory region that all clients map (read-write), by index in the order of these calls. Before the first
  // client. It must never become shorter than `bytes`.
  Result<void> share(UniqueFd region, std::size_t bytes);

  struct Counts {
    std::uint64_t joined = 0;
    std::uint64_t refused = 0;    // wrong secret, version or user, or no proper hello
    std::uint64_t condemned = 0;  // dropped because they broke the rules
  };
  Counts counts() const;

 private:
  struct Impl;
  explicit Host(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::transport
