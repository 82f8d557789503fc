#include "burst/server_fabric.hpp"

#include "burst/protocol.hpp"
#include "transport/in_process.hpp"
#include "transport/own_address.hpp"
#include "transport/ucx_fabric.hpp"

namespace weir::burst {

Result<std::unique_ptr<transport::Fabric>> make_server_fabric(const Job& job, std::uint32_t server,
                                                              std::uint32_t worker, transport::Loop& loop) {
  // One server needs no network: it only speaks to itself.
  static transport::InProcessNet alone;
  if (job.servers.size() == 1) return alone.make(loop);
  const JobServer& row = job.servers[server];
  std::string listen;
  if (row.addresses.size() == job.workers) {
    listen = row.addresses[worker];  // as before it was restarted
  } else {
    const auto own = transport::own_address(row.listen, row.network);
    if (!own) return own.error();
    listen = *own + ":0";
  }
  auto fabric =
      transport::UcxFabric::make(loop, {.listen = listen, .secret = job.secret, .version = kProtocolVersion});
  if (!fabric) return fabric.error();
  return std::unique_ptr<transport::Fabric>(std::move(*fabric));
}

}  // namespace weir::burst
