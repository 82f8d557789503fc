#include "campaign/environment.hpp"

#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/mounts.hpp"
#include "base/version.hpp"
#include "launch/machine.hpp"

namespace weir::campaign {
namespace {

namespace fs = std::filesystem;

// The first line of a small file, or "absent".
Json line_of(const fs::path& file) {
  auto text = read_text(file, 1 << 16);
  if (!text) return "absent";
  const std::size_t end = text->find('\n');
  std::string line = text->substr(0, end);
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

Json processor(const fs::path& root) {
  const fs::path cpu = root / "sys/devices/system/cpu";
  const fs::path frequency = cpu / "cpu0/cpufreq";
  Json no_turbo = line_of(cpu / "intel_pstate/no_turbo");
  return {{"governor", line_of(frequency / "scaling_governor")},
          {"least_khz", line_of(frequency / "scaling_min_freq")},
          {"most_khz", line_of(frequency / "scaling_max_freq")},
          {"driver", line_of(frequency / "scaling_driver")},
          {"no_turbo", no_turbo != "absent" ? std::move(no_turbo) : line_of(cpu / "cpufreq/boost")},
          {"smt", line_of(cpu / "smt/active")}};
}

// The whole disk that a block device number belongs to.
std::optional<fs::path> disk_of(const std::string& number, const fs::path& root) {
  std::error_code failed;
  const fs::path device = fs::canonical(root / "sys/dev/block" / number, failed);
  if (failed) return std::nullopt;
  return fs::exists(device / "partition", failed) ? device.parent_path() : device;
}

Json device(const std::string& number, const fs::path& root) {
  const auto disk = disk_of(number, root);
  if (!disk) return nullptr;
  return {{"name", disk->filename().string()},
          {"model", line_of(*disk / "device/model")},
          {"scheduler", line_of(*disk / "queue/scheduler")},
          {"queue_depth", line_of(*disk / "queue/nr_requests")},
          {"write_cache", line_of(*disk / "queue/write_cache")},
          {"rotational", line_of(*disk / "queue/rotational")},
          {"backing_file", line_of(*disk / "loop/backing_file")},
          {"size_sectors", line_of(*disk / "size")}};
}

Json storage(const fs::path& directory, const fs::path& root) {
  std::error_code failed;
  const fs::path whole = fs::canonical(directory, failed);
  const auto mounts = read_mounts(root);
  const Mount* const mount = mount_of(mounts, failed ? fs::absolute(directory) : whole);
  if (mount == nullptr) return nullptr;
  return {{"directory", (failed ? directory : whole).string()},
          {"mount_point", mount->point.string()},
          {"file_system", mount->type},
          {"source", mount->source},
          {"options", mount->mount_options},
          {"file_system_options", mount->options},
          {"device", device(mount->device, root)}};
}

Json limit(int resource) {
  rlimit limit{};
  if (::getrlimit(static_cast<decltype(RLIMIT_NOFILE)>(resource), &limit) != 0 ||
      limit.rlim_cur == RLIM_INFINITY)
    return nullptr;
  return limit.rlim_cur;
}

// Variables by which batch systems tell a job and its node; those that are set.
Json batch() {
  static constexpr std::array kVariables = {
      "SLURM_JOB_ID",    "SLURM_JOB_NAME", "SLURM_JOB_PARTITION", "SLURM_NNODES", "SLURM_NTASKS",
      "SLURMD_NODENAME", "PBS_JOBID",      "PBS_JOBNAME",         "PBS_QUEUE",    "LSB_JOBID",
      "LSB_QUEUE",       "JOB_ID",         "FLUX_JOB_ID"};
  Json set = Json::object();
  for (const char* name : kVariables)
    if (const char* value = std::getenv(name))
      set[name] = value;  // NOLINT(concurrency-mt-unsafe): nothing sets any
  return set.empty() ? Json(nullptr) : set;
}

}  // namespace

Json capture_environment(const fs::path& directory, const fs::path& root) {
  const launch::Host host = launch::examine_host(root);
  const BuildFacts build = build_facts();
  return {{"captured_ns", Clock::wall().count},
          {"weir", build.version},
          {"build", fmt::format("{}, {}", build.build_type, build.compiler)},
          {"host", host.name},
          {"system", host.system},
          {"kernel", host.kernel},
          {"kernel_command_line", line_of(root / "proc/cmdline")},
          {"processor", host.processor},
          {"cores", host.cores},
          {"frequency", processor(root)},
          {"memory_bytes", host.memory.count},
          {"dirty_ratio", line_of(root / "proc/sys/vm/dirty_ratio")},
          {"dirty_background_ratio", line_of(root / "proc/sys/vm/dirty_background_ratio")},
          {"storage", storage(directory, root)},
          {"limits",
           {{"open_files", limit(RLIMIT_NOFILE)},
            {"file_bytes", limit(RLIMIT_FSIZE)},
            {"address_space_bytes", limit(RLIMIT_AS)},
            {"locked_bytes", limit(RLIMIT_MEMLOCK)}}},
          {"batch", batch()}};
}

}  // namespace weir::campaign
