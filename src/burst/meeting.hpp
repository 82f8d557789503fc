#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "burst/job.hpp"

namespace weir::burst {

// How the servers of a job find each other: each writes beside the job file where it listens, or why it
// cannot; server 0 puts the addresses into the file, for the others and for clients.
struct Arrival {
  std::vector<std::string> addresses;  // one a worker, or
  std::string failure;
  std::int64_t told_ns = 0;  // tells what was told before from what was told again
};

// What a server of this job has told beside the file; a file left over from another job tells nothing.
std::optional<Arrival> arrival_of(const std::filesystem::path& job_file, const Job& job,
                                  std::uint32_t server);

// Of the first server that has told one.
std::optional<Error> failure_of_server(const std::filesystem::path& job_file, const Job& job);

// Not in place of addresses, which are those of a server that lives, unless they are our `own`; nor when
// another job has the file by now.
void tell_failure(const std::filesystem::path& job_file, const Job& job, std::uint32_t server,
                  const Error& error, const std::vector<std::string>& own = {});

// Tells `own` and waits until the job file has the addresses of all. An error, told to the others, when that
// takes longer than the job's limit, one of them has failed, or the file is gone or another job's.
Result<Job> meet(const std::filesystem::path& job_file, const Job& job, std::uint32_t server,
                 const std::vector<std::string>& own);

// After the end, or before a new start.
void forget_arrivals(const std::filesystem::path& job_file, std::size_t servers);

}  // namespace weir::burst
