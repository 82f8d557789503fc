#include "launch/mpi_choice.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "launch/libraries.hpp"
#include "launch/process.hpp"

namespace weir::launch {
namespace {

namespace fs = std::filesystem;

// What the program is linked against, as the loader finds it. Nothing of the program itself is run.
Mpi linked_mpi(const fs::path& program) {
  const std::string loader = loader_of(program);
  if (loader.empty()) return Mpi::none;
  const auto listed = run_and_capture({loader, "--list", program.string()});
  if (!listed) return Mpi::none;
  struct Mark {
    std::string_view library;
    Mpi mpi;
  };
  // libopen-rte is what Open MPI's launcher is made of.
  constexpr std::array kMarks = {Mark{"libmpich.so", Mpi::mpich}, Mark{"libmpi.so", Mpi::openmpi},
                                 Mark{"libopen-rte.so", Mpi::openmpi}, Mark{"libprrte.so", Mpi::openmpi}};
  for (const Mark& mark : kMarks)
    if (listed->output.find(fmt::format("\t{}", mark.library)) != std::string::npos) return mark.mpi;
  return Mpi::none;
}

bool is_launcher(const fs::path& program) {
  constexpr std::array<std::string_view, 8> kStarts = {"mpirun", "mpiexec", "orterun", "prterun",
                                                       "srun",   "jsrun",   "aprun",   "prun"};
  const std::string file = program.filename().string();
  return std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view start) {
    return file == start || file.starts_with(std::string(start) + ".");
  });
}

Mpi mpi_of_launcher(const fs::path& launcher) {
  std::error_code failed;
  const fs::path real = fs::canonical(launcher, failed);
  const std::string file = real.filename().string();
  if (file.find("hydra") != std::string::npos || file.find("mpich") != std::string::npos) return Mpi::mpich;
  if (file.find("openmpi") != std::string::npos) return Mpi::openmpi;
  return failed ? Mpi::none : linked_mpi(real);
}

}  // namespace

std::string_view name(Mpi mpi) {
  constexpr std::array<std::string_view, 3> names = {"none", "openmpi", "mpich"};
  return names[static_cast<std::size_t>(mpi)];
}

const std::vector<std::string_view>& launchers() {
  static const std::vector<std::string_view> all = {
      "orterun", "orted",         "prterun",         "prted", "prte",  "prun",  "mpirun",
      "mpiexec", "mpiexec.hydra", "hydra_pmi_proxy", "srun",  "jsrun", "aprun", "slurmstepd"};
  return all;
}

Result<Mpi> mpi_of(const std::vector<std::string>& command) {
  if (command.empty()) return Mpi::none;
  const auto first = find_program(command.front());
  if (!first) return Mpi::none;
  if (!is_launcher(*first)) return linked_mpi(*first);
  const Mpi launcher = mpi_of_launcher(*first);
  for (std::size_t i = 1; i < command.size(); ++i) {
    if (command[i].starts_with('-')) continue;
    const auto program = find_program(command[i]);
    if (!program) continue;
    const Mpi linked = linked_mpi(*program);
    if (linked == Mpi::none) break;
    if (launcher != Mpi::none && linked != launcher)
      return Error{Errc::lacking, fmt::format("is linked against {}, but '{}' belongs to {}", name(linked),
                                              command.front(), name(launcher))}
          .in(command[i])
          .with_remedy(fmt::format("start it with mpirun.{}", name(linked)));
    return linked;
  }
  return launcher;
}

std::vector<std::string> launcher_of(std::string_view mpi) {
  for (const std::string& name : {fmt::format("mpirun.{}", mpi), std::string("mpirun"), std::string("srun")})
    if (find_program(name)) return {name};
  return {"mpirun"};
}

}  // namespace weir::launch
