#pragma once

#include <memory>

#include "burst/job.hpp"
#include "transport/fabric.hpp"
#include "transport/loop.hpp"

namespace weir::burst {

// How servers of different processes reach each other: UCX. In a build without it a job has one server, which
// reaches itself. A server that is restarted listens where it did before.
Result<std::unique_ptr<transport::Fabric>> make_server_fabric(const Job& job, std::uint32_t server,
                                                              std::uint32_t worker, transport::Loop& loop);

}  // namespace weir::burst
