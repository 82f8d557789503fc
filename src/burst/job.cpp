#include "burst/job.hpp"

#include <algorithm>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/file.hpp"
#include "base/json.hpp"

namespace weir::burst {
namespace {

constexpr std::string_view kSchema = "weir.job/1";

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
    server.network = row.value("network", "");
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
                    {"network", server.network},
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

}  // namespace weir::burst
