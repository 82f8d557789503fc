#include "burst/buffer_facts.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"

namespace weir::burst {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSchema = "weir.buffer/1";
constexpr const char* kName = "about.json";
constexpr std::uint64_t kLongest = std::uint64_t{1} << 24;

Result<BufferFacts> from_json(const Json& json) {
  if (json.value("schema", "") != kSchema)
    return Error{Errc::bad_data, fmt::format("does not say what buffer this is ({})", kSchema)};
  BufferFacts facts;
  facts.job.id = json.at("job").get<std::string>();
  facts.job.backing = facts.job.mount = json.at("backing").get<std::string>();
  facts.job.workers = json.at("workers").get<std::uint32_t>();
  facts.server = json.at("server").get<std::uint32_t>();
  for (const Json& row : json.at("servers")) {
    JobServer server;
    server.host = row.at("host").get<std::string>();
    server.directory = row.at("directory").get<std::string>();
    facts.job.servers.push_back(std::move(server));
  }
  if (facts.server >= facts.job.servers.size() || facts.job.workers == 0 || facts.job.workers > 64)
    return Error{Errc::bad_data, "says something impossible"};
  return facts;
}

// Directories below, as deep as a buffer can lie: weir-JOB/SERVER, and .weir-JOB/SERVER in a backing one.
std::vector<fs::path> folders_to_look_in(const fs::path& folder) {
  std::vector<fs::path> folders = {folder};
  std::error_code ignored;
  for (const auto& job : fs::directory_iterator(folder, ignored)) {
    if (!job.is_directory(ignored)) continue;
    folders.push_back(job.path());
    const std::string name = job.path().filename().string();
    if (!name.starts_with("weir-") && !name.starts_with(".weir-")) continue;
    for (const auto& server : fs::directory_iterator(job.path(), ignored))
      if (server.is_directory(ignored)) folders.push_back(server.path());
  }
  return folders;
}

}  // namespace

Result<void> BufferFacts::write(const fs::path& folder) const {
  Json rows = Json::array();
  for (const JobServer& one : job.servers)
    rows.push_back({{"host", one.host}, {"directory", one.directory.string()}});
  const Json json = {{"schema", kSchema},
                     {"job", job.id},
                     {"server", server},
                     {"workers", job.workers},
                     {"backing", job.backing.string()},
                     {"servers", rows}};
  return replace_file(folder / kName, as_bytes(json.dump(2) + "\n"), 0600);
}

Result<BufferFacts> BufferFacts::read(const fs::path& file) {
  const auto text = read_text(file, kLongest);
  if (!text) return text.error();
  const auto json = parse_json(*text);
  if (!json) return json.error().in(file.string());
  try {
    auto facts = from_json(*json);
    return facts ? facts : facts.error().in(file.string());
  } catch (const Json::exception& error) {
    return Error{Errc::bad_data, fmt::format("does not say what buffer this is: {}", error.what())}.in(
        file.string());
  }
}

Result<std::vector<FoundBuffer>> find_buffers(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return Error{error ? Errc::not_found : Errc::usage, "is no directory"}.in(folder.string());
  std::vector<FoundBuffer> found;
  std::set<fs::path> seen;
  for (const fs::path& place : folders_to_look_in(folder)) {
    if (!fs::exists(place / kName, error)) continue;
    auto facts = BufferFacts::read(place / kName);
    if (!facts) return facts.error();
    FoundBuffer one{std::move(*facts), {}};
    one.server = one.facts.job.servers[one.facts.server];
    JobServer there = one.server;
    there.directory = place;
    if (fs::exists(journal_of(there, 0), error) || fs::exists(segments_of(there), error))
      one.server = std::move(there);
    const fs::path where = fs::weakly_canonical(one.server.directory, error);
    if (!error && fs::is_directory(where, error) && seen.insert(where).second)
      found.push_back(std::move(one));
  }
  if (found.empty())
    return Error{Errc::not_found, "no buffer of a job is here"}
        .in(folder.string())
        .with_remedy("name the directory that was given as --buffer to 'weir fs start'");
  return found;
}

}  // namespace weir::burst
