#include "burst/this_node.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "transport/own_address.hpp"

namespace weir::burst {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::optional<std::uint32_t> parse_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "n01" and "n01.cluster" are one host; "n01.here" and "n01.there" are two.
bool same_host(std::string_view one, std::string_view other) {
  if (one.size() > other.size()) std::swap(one, other);
  if (!other.starts_with(one)) return false;
  return one.size() == other.size() || (other[one.size()] == '.' && one.find('.') == one.npos);
}

bool has_address_here(const JobServer& server) {
  return transport::is_only_here(server.addresses.empty() ? server.listen : server.addresses.front());
}

template <class Is>
std::vector<std::uint32_t> servers_that(const Job& job, Is is) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < job.servers.size(); ++i)
    if (is(job.servers[i])) found.push_back(i);
  return found;
}

}  // namespace

std::vector<std::uint32_t> servers_of_this_host(const Job& job) {
  const std::string here = host_name();
  auto named = servers_that(job, [&](const JobServer& server) { return same_host(server.host, here); });
  return named.empty() ? servers_that(job, has_address_here) : named;
}

std::optional<std::uint32_t> rank_of_launcher() {
  for (const char* const variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* const rank = std::getenv(variable)) return parse_number(rank);
  return std::nullopt;
}

Result<std::uint32_t> server_of_this_node(const Job& job) {
  const auto count = static_cast<std::uint32_t>(job.servers.size());
  if (const char* const named = std::getenv(kServerVariable)) {
    if (std::string_view(named) == kServerByRank) return rank_of_launcher().value_or(0) % count;
    const auto number = parse_number(named);
    if (number && *number < count) return *number;
    return Error{Errc::usage,
                 fmt::format("{} is '{}'; the job has servers 0 to {}", kServerVariable, named, count - 1)};
  }
  if (count == 1) return 0U;
  if (const auto here = servers_of_this_host(job); !here.empty()) return here.front();
  return Error{Errc::not_found, fmt::format("no server of the job runs on this node, {}", host_name())}
      .with_remedy(fmt::format("set {} to a server's number", kServerVariable));
}

}  // namespace weir::burst
