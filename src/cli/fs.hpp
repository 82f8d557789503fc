#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "burst/client/session.hpp"
#include "cli/command.hpp"

namespace weir::cli {

// The parts of `weir fs`.
extern const Command kFsStart, kFsStop, kFsStatus, kFsStats, kFsFlush;

// `--job FILE`, worded alike everywhere; $WEIR_JOB when it is not given.
CLI::Option* add_job_option(CLI::App& app, std::string& job);
Result<std::string> job_file(const std::string& given);

// A conversation with the job's servers: through this node's, or, where there is none, the first that
// answers.
Result<std::unique_ptr<burst::Session>> talk_to(const burst::Job& job);

// What one server tells of itself: counters by name, its workers added up.
struct ServerFacts {
  std::uint32_t number = 0;
  bool answers = false;
  std::map<std::string, std::uint64_t> counters;
};
std::vector<ServerFacts> ask_servers(burst::Session& session);

}  // namespace weir::cli
