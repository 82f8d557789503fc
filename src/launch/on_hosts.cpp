#include "launch/on_hosts.hpp"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "launch/mpi_choice.hpp"
#include "launch/passed_on.hpp"
#include "launch/process.hpp"

extern char** environ;

namespace weir::launch {
namespace {

// What Weir's own programs look at.
Variables own_settings() {
  Variables settings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t end = text.find('=');
    if (text.starts_with("WEIR_") && end != text.npos)
      settings.emplace_back(text.substr(0, end), text.substr(end + 1));
  }
  return settings;
}

}  // namespace

Result<std::vector<std::string>> command_on_hosts(const std::vector<std::string>& hosts,
                                                  const std::vector<std::string>& program) {
  const std::string list = fmt::format("{}", fmt::join(hosts, ","));
  const std::string count = std::to_string(hosts.size());
  std::vector<std::string> command;
  if (std::getenv("SLURM_JOB_ID") != nullptr && find_program("srun")) {
    command = {
        "srun", "--overlap", "--cpu-bind=none", "--kill-on-bad-exit=0", "--wait=0", "-N", count, "-n", count,
        "-w",   list};
  } else if (find_program("mpirun")) {
    const auto mpi = mpi_of({"mpirun"});
    if (mpi && *mpi == Mpi::mpich)
      command = {"mpirun", "-disable-auto-cleanup", "-bind-to", "none", "-ppn", "1", "-n", count, "-hosts",
                 list};
    else
      command = {"mpirun", "--enable-recovery", "--bind-to", "none", "-n", count, "--host", list};
  } else {
    return Error{Errc::lacking, "neither srun nor mpirun is here to start programs on other hosts"}
        .with_remedy("install openmpi-bin");
  }
  command.insert(command.end(), program.begin(), program.end());
  return passed_on(std::move(command), own_settings());
}

}  // namespace weir::launch
