#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "transport/fabric.hpp"
#include "transport/loop.hpp"
#include "transport/secret.hpp"

namespace weir::transport {

struct UcxOptions {
  std::string listen = "127.0.0.1:0";  // only there; port 0 is any. "[::1]:4711" works too
  Secret secret;                       // a peer proves itself with it in its first message
  std::uint32_t version = 0;           // a peer must have the same
};

// A Fabric over UCX: active messages on connections that are made when the first call needs them. A peer that
// is gone ends the calls to it; the next call connects anew. Settings come from WEIR_UCX_* (WEIR_UCX_TLS=rc
// and so on); unless they say otherwise messages go over TCP, on the device of the address given.
class UcxFabric : public Fabric {
 public:
  struct Counts {
    std::uint64_t connected = 0;  // peers that proved themselves
    std::uint64_t refused = 0;    // another secret or version, no proper greeting or request
    std::uint64_t lost = 0;       // connections that ended by an error or by silence
  };
  virtual Counts counts() const = 0;

  // Errc::lacking where this build has no UCX.
  static Result<std::unique_ptr<UcxFabric>> make(Loop& loop, const UcxOptions& options);
};

// UCX reads an application's UCX_* settings besides ours. Who wants to be sure removes them from the
// environment: a server does, first thing in main(), while there are no other threads.
void forget_foreign_ucx_settings();

}  // namespace weir::transport
