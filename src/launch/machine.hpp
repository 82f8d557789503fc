#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace weir::launch {

// What was found of one thing Weir can use.
enum class State {
  ok,       // there and usable
  limited,  // there, but a right or a part is lacking: see remedy
  missing,  // not there and can be had: see remedy
  absent,   // this machine has no such hardware or file system; nothing to do
};
std::string_view name(State state);

struct Fact {
  std::string topic;  // mpi, launcher, ucx, hdf5, fuse, counters, buffer, rights
  std::string name;
  State state = State::absent;
  std::string detail;  // version, devices, free space: what a person wants to know
  std::string path;    // where it was found, if it is a file
  std::string remedy;  // a package to install or a setting to change; empty when ok or absent
};

struct Host {
  std::string name;
  std::string system;     // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;     // "6.1.0-18-amd64"
  std::string processor;  // model name
  unsigned cores = 0;     // usable by this process
  Bytes memory;
  std::string clock;  // what Clock reads: tsc, cntvct or monotonic
};

struct Machine {
  Host host;
  std::vector<Fact> facts;  // by topic, in the order above
};

// Looks at the machine below `root` ("/" but for tests). Takes well under a second, except for hanging
// network mounts, which are not touched.
Machine examine_machine(const std::filesystem::path& root = "/");

// One topic each, in files of their own.
std::vector<Fact> examine_parallel_libraries(const std::filesystem::path& root);  // mpi, launcher, ucx, hdf5
std::vector<Fact> examine_counters(const std::filesystem::path& root);
std::vector<Fact> examine_buffers(const std::filesystem::path& root);
std::vector<Fact> examine_rights(const std::filesystem::path& root);  // fuse, rights
Host examine_host(const std::filesystem::path& root);

// What programs may still take without swapping.
Bytes available_memory(const std::filesystem::path& root = "/");

}  // namespace weir::launch
