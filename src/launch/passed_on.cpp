#include "launch/passed_on.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "launch/mpi_choice.hpp"

namespace weir::launch {
namespace {

bool is_mpirun(const std::string& program) {
  constexpr std::array<std::string_view, 4> kStarts = {"mpirun", "mpiexec", "orterun", "prterun"};
  const std::string name = std::filesystem::path(program).filename().string();
  return std::ranges::any_of(kStarts, [&](std::string_view start) { return name.starts_with(start); });
}

// "-x NAME" or "-x NAME=value" is the user's word.
bool is_given(const std::vector<std::string>& command, const std::string& name) {
  for (std::size_t i = 1; i + 1 < command.size(); ++i)
    if (command[i] == "-x" && command[i + 1].substr(0, command[i + 1].find('=')) == name) return true;
  return false;
}

}  // namespace

std::vector<std::string> passed_on(std::vector<std::string> command, const Variables& variables) {
  if (command.empty() || !is_mpirun(command.front())) return command;
  if (const auto mpi = mpi_of({command.front()}); !mpi || *mpi != Mpi::openmpi) return command;
  // It takes either that or -x.
  constexpr const char* kList = "mca_base_env_list";
  if (std::getenv("OMPI_MCA_mca_base_env_list") != nullptr || std::ranges::count(command, kList) != 0)
    return command;
  std::vector<std::string> words;
  for (const auto& [name, value] : variables)
    if (!is_given(command, name)) words.insert(words.end(), {"-x", name});
  std::vector<std::string> passing;
  for (std::size_t i = 0; i < command.size(); ++i) {
    passing.push_back(std::move(command[i]));
    if (i == 0 || passing.back() == ":")
      passing.insert(passing.end(), words.begin(), words.end());  // each program
  }
  return passing;
}

}  // namespace weir::launch
