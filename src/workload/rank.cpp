#include "workload/rank.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/own_files.hpp"
#include "base/rank_launcher.hpp"

namespace weir::workload {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestText = std::uint64_t{256} << 20U;

constexpr std::array kCodes = {Errc::usage,       Errc::not_found,   Errc::unreadable, Errc::bad_data,
                               Errc::unsupported, Errc::too_big,     Errc::lacking,    Errc::io,
                               Errc::full,        Errc::interrupted, Errc::internal};

Json shown(const Error& error) {
  return {{"code", name(error.code())},
          {"context", error.context()},
          {"message", error.message()},
          {"remedy", error.remedy()}};
}

// The error that was written down, or that it was not one.
Error error_from(const Json& json) {
  std::array<std::string, 4> texts;
  constexpr std::array kNames = {"code", "context", "message", "remedy"};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (!json.is_object() || !json.contains(kNames[i]) || !json[kNames[i]].is_string())
      return {Errc::bad_data, fmt::format("its error has no {}", kNames[i])};
    texts[i] = json[kNames[i]].get<std::string>();
  }
  const auto code =
      std::find_if(kCodes.begin(), kCodes.end(), [&](Errc each) { return name(each) == texts[0]; });
  if (code == kCodes.end())
    return {Errc::bad_data, fmt::format("its error has the unknown code {}", texts[0])};
  Error error(*code, texts[2]);
  if (!texts[1].empty()) error = std::move(error).in(texts[1]);
  return texts[3].empty() ? error : error.with_remedy(texts[3]);
}

// File names need not be UTF-8, and JSON must be.
Result<void> write_json(const Json& json, const fs::path& file, Json::error_handler_t otherwise) {
  std::string text;
  try {
    text = json.dump(2, ' ', false, otherwise);
  } catch (const Json::exception&) {
    return Error{Errc::usage, "the directory's name is not UTF-8"}.with_remedy("use another directory");
  }
  text += '\n';
  return replace_file(file, as_bytes(text));
}

Result<Json> read_json(const fs::path& file) {
  const auto text = read_text(file, kLargestText);
  if (!text) return text.error();
  auto json = parse_json(*text);
  if (!json) return json.error().in(file.string());
  return json;
}

}  // namespace

std::string_view name(Mpi mpi) { return mpi == Mpi::openmpi ? "openmpi" : "mpich"; }

Result<fs::path> find_rank_program(Mpi mpi) {
  auto program = find_own_file(fmt::format("weir-rank-{}", name(mpi)));
  if (!program) return program.error().with_remedy("build Weir with that MPI's development package");
  return program;
}

std::vector<std::string> rank_command(const std::vector<std::string>& launcher, const fs::path& program,
                                      const Job& job, const fs::path& job_file,
                                      const fs::path& outcome_file) {
  std::vector<std::string> command = start_ranks(launcher, job.count);
  command.insert(command.end(), {program.string(), job_file.string(), outcome_file.string()});
  return command;
}

Result<void> write_rank_job(const Job& job, const fs::path& file) {
  return write_json(to_json(job), file, Json::error_handler_t::strict);
}

Result<Job> read_rank_job(const fs::path& file) {
  const auto json = read_json(file);
  if (!json) return json.error();
  auto job = job_from_json(*json);
  if (!job) return job.error().in(file.string());
  return job;
}

Result<void> write_rank_outcome(const Result<Outcome>& outcome, const fs::path& file) {
  return write_json(outcome ? to_json(*outcome) : Json{{"error", shown(outcome.error())}}, file,
                    Json::error_handler_t::replace);
}

Result<Outcome> read_rank_outcome(const fs::path& file) {
  const auto json = read_json(file);
  if (!json) return json.error();
  if (json->is_object() && json->contains("error")) return error_from((*json)["error"]);
  auto outcome = outcome_from_json(*json);
  if (!outcome) return outcome.error().in(file.string());
  return outcome;
}

}  // namespace weir::workload
