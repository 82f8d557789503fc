#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "burst/extent_map.hpp"
#include "burst/file_id.hpp"
#include "burst/lock/message.hpp"
#include "transport/bytes.hpp"
#include "transport/secret.hpp"

namespace weir::burst {

// How a full buffer goes on.
enum class WhenFull : std::uint8_t {
  spill,  // segments go to the backing directory
  fail,   // ENOSPC
};

// One server of a job: where it runs and where its node's buffer is.
struct JobServer {
  std::string host;
  std::string listen = "127.0.0.1";  // where it listens for other servers, nowhere else; or its host's name
  std::string network;  // on which of the host's: a device or a range; empty: where the name leads
  std::filesystem::path directory;     // socket, journals and segments
  std::vector<std::string> addresses;  // one a worker, empty until it has started
};

// How clients and servers of one job find each other and prove that they belong together. A file that only
// its owner may read; `weir fs start` writes it, WEIR_JOB names it.
struct Job {
  std::string id;
  transport::Secret secret;
  std::filesystem::path mount;    // names below this are the file system's
  std::filesystem::path backing;  // what it stands before; mostly the same
  std::string model = "session";
  std::string policy;   // rows as in a policy file, before the model
  bool verify = false;  // reads under weak models are held against what posix would show
  std::uint32_t workers = 1;
  std::uint64_t quota_bytes = 0;  // of each node; zero: what the device has
  WhenFull when_full = WhenFull::spill;
  std::uint64_t limit_ms = 30'000;  // a call that cannot be served fails after this
  std::uint64_t again_ms = 1000;    // a server that has not answered another one by then is asked again
  lock::Options locks;              // for the model posix-lock
  // Extents that one message tells of; more go in several. Not in the file: always this, but in tests.
  std::size_t most_extents = (transport::kLongestMessage - 4096) / sizeof(Extent);
  std::vector<JobServer> servers;

  Layout layout() const { return {static_cast<std::uint32_t>(servers.size()), workers}; }
  bool has_all_addresses() const;

  std::string text() const;
  static Result<Job> parse(std::string_view text);
  // Refused when others than the owner may read it.
  static Result<Job> read(const std::filesystem::path& path);
  Result<void> write(const std::filesystem::path& path) const;
};

// As a job file and the command line spell them.
inline constexpr std::array kGrantNames = {std::pair{lock::GrantRange::exact, "exact"},
                                           std::pair{lock::GrantRange::extend, "extend"},
                                           std::pair{lock::GrantRange::extend_end, "extend-end"}};
inline constexpr std::array kSettleNames = {std::pair{lock::Settle::split, "split"},
                                            std::pair{lock::Settle::revoke, "revoke"}};

// A server writes its addresses beside the job file when it has started; server 0 puts them all in.
std::filesystem::path addresses_beside(const std::filesystem::path& job_file, std::uint32_t server);

// Where a node's server keeps what.
std::filesystem::path socket_of(const JobServer& server);
std::filesystem::path journal_of(const JobServer& server, std::uint32_t worker);
std::filesystem::path segments_of(const JobServer& server);
// Empty files that stand for open ones in the processes of the node (preload/).
std::filesystem::path placeholders_of(const JobServer& server);
std::filesystem::path locks_of(const JobServer& server, std::uint32_t worker);
std::filesystem::path spill_of(const Job& job, std::uint32_t server);

// The environment variable that names the job file.
inline constexpr const char* kJobVariable = "WEIR_JOB";

}  // namespace weir::burst
