#include "burst/job.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "burst/server_by_rank.hpp"

namespace weir::burst {
namespace {

constexpr std::string_view kSchema = "weir.job/1";

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

template <class Names>
const char* name_of(const Names& names, decltype(names[0].first) value) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return "";
}

template <class Names>
Result<void> parse_name(const Names& names, const Json& json, const char* key,
                        decltype(names[0].first)& value) {
  const std::string text = json.at(key).get<std::string>();
  for (const auto& [known, name] : names)
    if (text == name) {
      value = known;
      return {};
    }
  return Error{Errc::bad_data, fmt::format("{} is '{}'", key, text)};
}

Result<Job> from_json(const Json& json) {
  if (json.value("schema", "") != kSchema)
    return Error{Errc::bad_data, fmt::format("is no job file ({})", kSchema)};
  Job job;
  job.id = json.at("id").get<std::string>();
  auto secret = transport::Secret::parse(json.at("secret").get<std::string>());
  if (!secret) return secret.error();
  job.secret = *secret;
  job.mount = json.at("mount").get<std::string>();
  job.backing = json.at("backing").get<std::string>();
  job.model = json.at("model").get<std::string>();
  job.policy = json.at("policy").get<std::string>();
  job.verify = json.value("verify", false);
  job.workers = json.at("workers").get<std::uint32_t>();
  job.quota_bytes = json.at("quota_bytes").get<std::uint64_t>();
  job.when_full = json.at("when_full").get<std::string>() == "fail" ? WhenFull::fail : WhenFull::spill;
  job.limit_ms = json.at("limit_ms").get<std::uint64_t>();
  job.again_ms = json.at("again_ms").get<std::uint64_t>();
  if (auto known = parse_name(kGrantNames, json, "lock_grant", job.locks.grant); !known) return known.error();
  if (auto known = parse_name(kSettleNames, json, "lock_settle", job.locks.settle); !known)
    return known.error();
  for (const Json& row : json.at("servers")) {
    JobServer server;
    server.host = row.at("host").get<std::string>();
    server.listen = row.at("listen").get<std::string>();
    server.directory = row.at("directory").get<std::string>();
    server.addresses = row.at("addresses").get<std::vector<std::string>>();
    job.servers.push_back(std::move(server));
  }
  if (job.servers.empty() || job.servers.size() > 0xffff || job.workers == 0 || job.workers > 64)
    return Error{Errc::bad_data, "has no servers, or too many"};
  return job;
}

}  // namespace

bool Job::has_all_addresses() const {
  return std::ranges::all_of(servers, [&](const JobServer& one) { return one.addresses.size() == workers; });
}

std::string Job::text() const {
  Json rows = Json::array();
  for (const JobServer& server : servers)
    rows.push_back({{"host", server.host},
                    {"listen", server.listen},
                    {"directory", server.directory.string()},
                    {"addresses", server.addresses}});
  const Json json = {{"schema", kSchema},
                     {"id", id},
                     {"secret", secret.hex()},
                     {"mount", mount.string()},
                     {"backing", backing.string()},
                     {"model", model},
                     {"policy", policy},
                     {"verify", verify},
                     {"workers", workers},
                     {"quota_bytes", quota_bytes},
                     {"when_full", when_full == WhenFull::fail ? "fail" : "spill"},
                     {"limit_ms", limit_ms},
                     {"again_ms", again_ms},
                     {"lock_grant", name_of(kGrantNames, locks.grant)},
                     {"lock_settle", name_of(kSettleNames, locks.settle)},
                     {"servers", rows}};
  return json.dump(2) + "\n";
}

Result<Job> Job::parse(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return json.error();
  try {
    return from_json(*json);
  } catch (const Json::exception& error) {
    return Error{Errc::bad_data, fmt::format("is no job file: {}", error.what())};
  }
}

Result<Job> Job::read(const std::filesystem::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) == 0) {
    if ((found.st_mode & 077u) != 0)
      return Error{Errc::usage, "others may read the job's secret"}
          .in(path.string())
          .with_remedy("chmod 600");
    if (found.st_uid != ::geteuid()) return Error{Errc::usage, "is another user's job"}.in(path.string());
  }
  const auto text = read_text(path, std::uint64_t{1} << 24);
  if (!text) return text.error();
  auto job = parse(*text);
  if (!job) return job.error().in(path.string());
  return job;
}

Result<void> Job::write(const std::filesystem::path& path) const {
  return replace_file(path, as_bytes(text()), 0600);
}

std::filesystem::path addresses_beside(const std::filesystem::path& job_file, std::uint32_t server) {
  std::filesystem::path beside = job_file;
  beside += fmt::format(".{}", server);
  return beside;
}

std::filesystem::path socket_of(const JobServer& server) { return server.directory / "socket"; }
std::filesystem::path journal_of(const JobServer& server, std::uint32_t worker) {
  return server.directory / fmt::format("journal-{}", worker);
}
std::filesystem::path segments_of(const JobServer& server) { return server.directory / "segments"; }
std::filesystem::path placeholders_of(const JobServer& server) { return server.directory / "open"; }
std::filesystem::path locks_of(const JobServer& server, std::uint32_t worker) {
  return server.directory / fmt::format("locks-{}", worker);
}
std::filesystem::path spill_of(const Job& job, std::uint32_t server) {
  return job.backing / fmt::format(".weir-{}", job.id) / std::to_string(server);
}

Result<std::uint32_t> server_of_this_node(const Job& job) {
  const auto count = static_cast<std::uint32_t>(job.servers.size());
  if (const char* const named = std::getenv(kServerVariable)) {
    const std::string_view text = named;
    std::uint32_t number = 0;
    if (text == kServerByRank) {
      for (const char* const variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"})
        if (const char* const rank = std::getenv(variable))
          return static_cast<std::uint32_t>(std::strtoul(rank, nullptr, 10)) % count;
      return 0U;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number >= count)
      return Error{Errc::usage,
                   fmt::format("{} is '{}'; the job has servers 0 to {}", kServerVariable, named, count - 1)};
    return number;
  }
  const std::string here = host_name();
  for (std::uint32_t i = 0; i < count; ++i)
    if (job.servers[i].host == here) return i;
  if (count == 1) return 0U;
  return Error{Errc::not_found, fmt::format("no server of the job runs on this node, {}", here)}.with_remedy(
      fmt::format("set {} to a server's number", kServerVariable));
}

}  // namespace weir::burst
