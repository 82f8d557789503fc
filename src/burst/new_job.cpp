#include "burst/new_job.hpp"

#include <random>

#include <fmt/format.h>

#include "burst/client/policy.hpp"
#include "consistency/policy.hpp"

namespace weir::burst {
namespace {

Result<std::filesystem::path> directory(const std::filesystem::path& path, std::string_view what) {
  std::error_code error;
  const auto found = std::filesystem::canonical(path, error);
  if (error) return Error::from_errno(error.value(), fmt::format("no {} directory", what)).in(path.string());
  if (!std::filesystem::is_directory(found))
    return Error{Errc::usage, fmt::format("is no directory; the {} must be one", what)}.in(path.string());
  return found;
}

}  // namespace

Result<Job> new_job(const JobPlan& plan) {
  if (const auto known = find_policy(plan.model); !known) return known.error();
  if (const auto rows = consistency::FilePolicy::parse(plan.policy, "policy"); !rows) return rows.error();
  auto buffer = directory(plan.buffer, "buffer");
  if (!buffer) return buffer.error();
  auto backing = directory(plan.backing, "backing");
  if (!backing) return backing.error();
  if (plan.hosts.empty() && plan.local == 0)
    return Error{Errc::usage, "no servers asked for"}.with_remedy("--local 1, or --hosts with names");

  Job job;
  job.id = fmt::format("{:08x}", std::random_device{}());
  job.secret = transport::Secret::make();
  job.backing = *backing;
  job.mount = plan.mount.empty() ? *backing : plan.mount.lexically_normal();
  job.model = plan.model;
  job.policy = plan.policy;
  job.verify = plan.verify;
  job.workers = plan.workers;
  job.quota_bytes = plan.quota_bytes;
  job.when_full = plan.when_full;
  job.limit_ms = plan.limit_ms;
  job.locks = plan.locks;
  const std::size_t count = plan.local > 0 ? plan.local : plan.hosts.size();
  for (std::size_t i = 0; i < count; ++i) {
    JobServer server;
    server.host = plan.local > 0 ? fmt::format("local-{}", i) : plan.hosts[i];
    if (plan.local == 0) {
      server.listen = plan.hosts[i];
      server.network = plan.network;
    }
    server.directory = *buffer / fmt::format("weir-{}", job.id) / std::to_string(i);
    job.servers.push_back(std::move(server));
  }
  return job;
}

}  // namespace weir::burst
