#include "launch/machine.hpp"

#include <array>
#include <sstream>

#include <sys/utsname.h>
#include <unistd.h>

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/parallel.hpp"

namespace weir::launch {
namespace {

// The value of the first line "<key><separator>value" of a file, without quotes.
std::string value_in(const std::filesystem::path& file, std::string_view key, char separator) {
  const auto text = read_text(file, 1 << 22);
  if (!text) return "";
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t mark = line.find(separator);
    if (mark == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t\"", mark + 1);
    const std::size_t last = line.find_last_not_of(" \t\"");
    return first == std::string::npos ? "" : line.substr(first, last - first + 1);
  }
  return "";
}

Bytes memory_in(const std::filesystem::path& root, std::string_view key) {
  std::uint64_t kibibytes = 0;
  std::istringstream(value_in(root / "proc/meminfo", key, ':')) >> kibibytes;
  return Bytes(kibibytes * 1024);
}

}  // namespace

std::string_view name(State state) {
  switch (state) {
    case State::ok:
      return "ok";
    case State::limited:
      return "limited";
    case State::missing:
      return "missing";
    case State::absent:
      return "absent";
  }
  WEIR_CHECK(false, "no such State");
}

Bytes available_memory(const std::filesystem::path& root) { return memory_in(root, "MemAvailable"); }

Host examine_host(const std::filesystem::path& root) {
  Host host;
  utsname kernel{};
  ::uname(&kernel);
  host.name = kernel.nodename;
  host.kernel = kernel.release;
  host.system = value_in(root / "etc/os-release", "PRETTY_NAME", '=');
  host.processor = value_in(root / "proc/cpuinfo", "model name", ':');
  host.cores = usable_cores();
  host.memory = memory_in(root, "MemTotal");
  host.clock = Clock::source();
  return host;
}

Machine examine_machine(const std::filesystem::path& root) {
  Machine machine{.host = examine_host(root), .facts = {}};
  for (const auto examine : {examine_parallel_libraries, examine_rights, examine_counters, examine_buffers}) {
    std::vector<Fact> facts = examine(root);
    machine.facts.insert(machine.facts.end(), std::make_move_iterator(facts.begin()),
                         std::make_move_iterator(facts.end()));
  }
  return machine;
}

}  // namespace weir::launch
