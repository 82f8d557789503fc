#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.hpp"
#include "base/units.hpp"
#include "burst/recovery.hpp"
#include "cli/fs.hpp"

namespace weir::cli {
namespace {

using burst::FoundBuffer;
using burst::RecoveredFile;
using burst::Recovery;

struct Options {
  std::vector<std::string> folders;
  std::string backing;
  bool look = false;
  bool remove = false;
  bool json = false;
};

// By job, each buffer once.
Result<std::map<std::string, std::vector<FoundBuffer>>> find_all(const std::vector<std::string>& folders) {
  std::map<std::string, std::vector<FoundBuffer>> jobs;
  for (const std::string& folder : folders) {
    auto found = burst::find_buffers(folder);
    if (!found) return found.error();
    for (FoundBuffer& buffer : *found) {
      auto& of_job = jobs[buffer.facts.job.id];
      const bool known = std::ranges::any_of(
          of_job, [&](const FoundBuffer& other) { return other.facts.server == buffer.facts.server; });
      if (!known) of_job.push_back(std::move(buffer));
    }
  }
  return jobs;
}

Json as_json(const Recovery& recovery) {
  Json files = Json::array();
  for (const RecoveredFile& file : recovery.files)
    files.push_back({{"path", file.path},
                     {"recovered_bytes", file.bytes},
                     {"lost_bytes", file.lost_bytes},
                     {"reasons", file.why},
                     {"error", file.write_error == 0 ? Json() : Json(std::strerror(file.write_error))}});
  Json unpublished = Json::array();
  for (const auto& row : recovery.unpublished)
    unpublished.push_back({{"server", row.server}, {"client", row.client}, {"bytes", row.bytes}});
  return {{"job", recovery.job},
          {"backing", recovery.backing.string()},
          {"complete", recovery.is_complete()},
          {"recovered_bytes", recovery.bytes},
          {"files", files},
          {"unpublished", unpublished},
          {"problems", recovery.problems}};
}

void print(const Recovery& recovery, bool only_look, Output& out) {
  out.print("job {}: {} of {} files {} {}\n", recovery.job, format_bytes(Bytes(recovery.bytes)),
            recovery.files.size(), only_look ? "can be brought to" : "brought to", recovery.backing.string());
  if (!recovery.files.empty()) {
    Table table({{"file"}, {"recovered", Table::right}, {"lost", Table::right}, {"why"}});
    for (const RecoveredFile& file : recovery.files) {
      std::string why = fmt::format("{}", fmt::join(file.why, "; "));
      if (file.write_error != 0) why = fmt::format("cannot be written: {}", std::strerror(file.write_error));
      table.row({file.path, format_bytes(Bytes(file.bytes)),
                 file.lost_bytes == 0 ? "-" : format_bytes(Bytes(file.lost_bytes)), why.empty() ? "-" : why});
    }
    out.table(table);
  }
  for (const auto& row : recovery.unpublished)
    out.print("client {} of server {}: {} were never published, or overwritten before they were flushed\n",
              row.client, row.server, format_bytes(Bytes(row.bytes)));
  for (const std::string& problem : recovery.problems) out.print("{}\n", problem);
}

// A job that 'weir run' made has its file in the directory itself: with it the next run would take it for one
// that has yet to be looked after.
void forget_run(const burst::Job& job, const Recovery& recovery) {
  const auto folder = recovery.backing / burst::spill_of(job, 0).parent_path().filename();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with("job.json") || entry.path().filename() == "locks")
      std::filesystem::remove_all(entry.path(), ignored);
  std::filesystem::remove(folder, ignored);  // once it is empty
}

Result<int> recover(const Options& options, Output& out) {
  const auto jobs = find_all(options.folders);
  if (!jobs) return jobs.error();
  burst::RecoveryOptions how;
  if (!options.backing.empty()) how.backing = options.backing;
  how.only_look = options.look;
  int status = 0;
  Json document = json_document("fs-recover");
  document["jobs"] = Json::array();
  for (const auto& [id, buffers] : *jobs) {
    const auto recovery = burst::recover(buffers, how);
    if (!recovery) return recovery.error();
    if (options.json)
      document["jobs"].push_back(as_json(*recovery));
    else
      print(*recovery, options.look, out);
    if (!recovery->is_written)
      status = 4;
    else if (!recovery->is_complete())
      status = std::max(status, 1);
    else if (options.remove && !options.look) {
      burst::remove_buffers(buffers, *recovery);
      forget_run(buffers.front().facts.job, *recovery);
    }
  }
  if (options.json) out.measured_json(document);
  return status;
}

Run define(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option(
         "DIR", options->folders,
         "buffer directories: as given to 'weir fs start --buffer', of one job, or of one server; or the "
         "backing directory")
      ->required();
  app.add_option("--backing", options->backing, "the backing directory, when it is not where it was")
      ->type_name("DIR");
  app.add_flag("--look", options->look, "only say what there is; write nothing");
  app.add_flag("--remove", options->remove, "take the buffers away when all of it is out");
  add_json_flag(app, options->json);
  return [options](Output& out) { return recover(*options, out); };
}

constexpr std::array kExamples = {
    Example{"weir fs recover /dev/shm", "bring out what jobs have left there whose servers were killed"},
    Example{"weir fs recover /mnt/nvme/weir-1f2e3d4c --look", "what could be had of this one"},
    Example{"weir fs recover /mnt/nvme/weir-1f2e3d4c/0 /home/me/from-n02/1",
            "with the buffer, or only the journals, of another node copied here"},
};

}  // namespace

const Command kFsRecover = {
    .name = "recover",
    .summary = "bring published data out of buffers whose servers are gone",
    .examples = kExamples,
    .define = define,
    .notes =
        "Exit 0: all that was published is in the backing directory. 1: not all of it is to be had; the "
        "table says why. 4: the backing directory could not be written; mend that and say it again. Refused "
        "while servers of the job run. Doing it again writes the same bytes again: use --remove, or remove "
        "the buffers yourself, before the files are changed.",
};

}  // namespace weir::cli
