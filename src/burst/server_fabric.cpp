#include "burst/server_fabric.hpp"

#include "burst/protocol.hpp"
#include "transport/in_process.hpp"
#include "transport/ucx_fabric.hpp"

namespace weir::burst {

Result<std::unique_ptr<transport::Fabric>> make_server_fabric(const Job& job, std::uint32_t server,
                                                              std::uint32_t worker, transport::Loop& loop) {
  // One server needs no network: it only speaks to itself.
  static transport::InProcessNet alone;
  if (job.servers.size() == 1) return alone.make(loop);
  const JobServer& row = job.servers[server];
  const bool restarted = row.addresses.size() == job.workers;
  auto fabric =
      transport::UcxFabric::make(loop, {.listen = restarted ? row.addresses[worker] : row.listen + ":0",
                                        .secret = job.secret,
                                        .version = kProtocolVersion});
  if (!fabric) return fabric.error();
  return std::unique_ptr<transport::Fabric>(std::move(*fabric));
}

}  // namespace weir::burst
