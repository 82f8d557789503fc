#include <set>
#include <sstream>

#include <fmt/format.h>

#include "launch/libraries.hpp"
#include "launch/machine.hpp"
#include "launch/process.hpp"

namespace weir::launch {
namespace {

namespace fs = std::filesystem;

// The word after `mark` in what a command prints, or nothing.
std::string word_after(const std::vector<std::string>& command, std::string_view mark) {
  const auto ran = run_and_capture(command);
  if (!ran) return "";
  const std::size_t at = ran->output.find(mark);
  if (at == std::string::npos) return "";
  std::istringstream rest(ran->output.substr(at + mark.size()));
  std::string word;
  rest >> word;
  return word;
}

struct MpiKind {
  std::string_view name;
  std::string_view stem;
  std::string launcher;  // Debian's name, which says whose it is
  std::string_view version_mark;
  std::string_view libraries_package;
  std::string_view launcher_package;
};

const MpiKind kMpis[] = {
    {"Open MPI", "libmpi", "mpirun.openmpi", "(OpenRTE) ", "libopenmpi-dev", "openmpi-bin"},
    {"MPICH", "libmpich", "mpirun.mpich", "Version:", "libmpich-dev", "mpich"},
};

void examine_mpi(const fs::path& root, const MpiKind& kind, std::vector<Fact>& facts) {
  Fact library{.topic = "mpi",
               .name = std::string(kind.name),
               .state = State::missing,
               .detail = {},
               .path = {},
               .remedy = {}};
  const auto found = find_libraries(root, kind.stem);
  if (found.empty()) {
    library.remedy = fmt::format("apt install {}", kind.libraries_package);
    facts.push_back(library);
    return;
  }
  library.state = State::ok;
  library.path = found.front().string();
  if (find_program(kind.launcher))
    library.detail = word_after({kind.launcher, "--version"}, kind.version_mark);
  facts.push_back(library);
}

void examine_launchers(std::vector<Fact>& facts) {
  bool any = false;
  for (const char* program : {"mpirun", "mpirun.openmpi", "mpirun.mpich", "srun", "flux", "aprun", "jsrun"}) {
    const auto path = find_program(program);
    if (!path) continue;
    any = true;
    std::error_code ignored;
    const fs::path real = fs::canonical(*path, ignored);
    facts.push_back(
        {.topic = "launcher",
         .name = program,
         .state = State::ok,
         .detail = real.filename() == program ? "" : fmt::format("is {}", real.filename().string()),
         .path = path->string(),
         .remedy = {}});
  }
  if (!any)
    facts.push_back({.topic = "launcher",
                     .name = "mpirun or srun",
                     .state = State::missing,
                     .detail = {},
                     .path = {},
                     .remedy = "apt install openmpi-bin (or mpich)"});
}

// "tcp (lo, eth0), posix, cma" out of the listing of `ucx_info -d`.
std::string list_transports(const std::string& listing) {
  std::vector<std::pair<std::string, std::set<std::string>>> transports;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, key, value;
    words >> hash >> key >> value;
    if (key == "Transport:" && (transports.empty() || transports.back().first != value))
      transports.push_back({value, {}});
    if (key == "Device:" && !transports.empty() && !value.starts_with("memory"))
      transports.back().second.insert(value);
  }
  std::string text;
  for (const auto& [transport, devices] : transports) {
    if (!text.empty()) text += ", ";
    text += transport;
    if (!devices.empty()) text += fmt::format(" ({})", fmt::join(devices, " "));
  }
  return text;
}

Fact examine_ucx(const fs::path& root) {
  Fact ucx{.topic = "ucx",
           .name = "UCX",
           .state = State::missing,
           .detail = {},
           .path = {},
           .remedy = "apt install libucx-dev ucx-utils"};
  const auto found = find_libraries(root, "libucp");
  if (found.empty()) return ucx;
  ucx.path = found.front().string();
  const auto listing =
      find_program("ucx_info") ? run_and_capture({"ucx_info", "-d"}) : Error{Errc::lacking, "no ucx_info"};
  if (!listing) {
    ucx.state = State::limited;
    ucx.detail = "transports unknown: no ucx_info";
    ucx.remedy = "apt install ucx-utils";
    return ucx;
  }
  ucx.state = State::ok;
  ucx.detail =
      fmt::format("{}: {}", word_after({"ucx_info", "-v"}, "Version "), list_transports(listing->output));
  ucx.remedy = "";
  return ucx;
}

void examine_hdf5(const fs::path& root, std::vector<Fact>& facts) {
  struct Variant {
    std::string_view stem, name, package;
  };
  constexpr Variant kVariants[] = {{"libhdf5", "HDF5", "libhdf5-dev"},
                                   {"libhdf5_serial", "HDF5 serial", "libhdf5-dev"},
                                   {"libhdf5_openmpi", "HDF5 parallel, Open MPI", "libhdf5-openmpi-dev"},
                                   {"libhdf5_mpich", "HDF5 parallel, MPICH", "libhdf5-mpich-dev"}};
  for (const Variant& variant : kVariants) {
    const auto found = find_libraries(root, variant.stem);
    if (found.empty() && variant.stem == "libhdf5")
      continue;  // a site's own build; Debian names its variants
    Fact fact{.topic = "hdf5",
              .name = std::string(variant.name),
              .state = State::missing,
              .detail = {},
              .path = {},
              .remedy = fmt::format("apt install {}", variant.package)};
    if (!found.empty()) {
      fact.state = State::ok;
      fact.path = found.front().string();
      fact.detail = text_in_binary(found.front(), "HDF5 Version:").value_or("");
      fact.remedy = "";
    }
    facts.push_back(fact);
  }
}

}  // namespace

std::vector<Fact> examine_parallel_libraries(const fs::path& root) {
  std::vector<Fact> facts;
  for (const MpiKind& kind : kMpis) examine_mpi(root, kind, facts);
  examine_launchers(facts);
  facts.push_back(examine_ucx(root));
  examine_hdf5(root, facts);
  return facts;
}

}  // namespace weir::launch
