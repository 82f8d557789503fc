#include <cerrno>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <linux/io_uring.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "launch/libraries.hpp"
#include "launch/machine.hpp"
#include "launch/process.hpp"

namespace weir::launch {
namespace {

namespace fs = std::filesystem;

Fact examine_fuse(const fs::path& root) {
  Fact fuse{.topic = "fuse",
            .name = "FUSE",
            .state = State::missing,
            .detail = {},
            .path = {},
            .remedy = "apt install fuse3"};
  const auto libraries = find_libraries(root, "libfuse3");
  const fs::path device = root / "dev/fuse";
  std::error_code failed;
  if (!fs::exists(device, failed)) {
    fuse.detail = "no /dev/fuse";
    fuse.remedy = "modprobe fuse";
  } else if (::access(device.c_str(), R_OK | W_OK) != 0) {
    fuse.state = State::limited;
    fuse.detail = "/dev/fuse is not open to this user";
    fuse.remedy = "chmod 666 /dev/fuse, or join its group";
  } else if (!find_program("fusermount3")) {
    fuse.detail = "no fusermount3";
  } else if (libraries.empty()) {
    fuse.detail = "no libfuse3";
    fuse.remedy = "apt install libfuse3-3";
  } else {
    fuse.state = State::ok;
    fuse.path = libraries.front().string();
    fuse.remedy = "";
  }
  return fuse;
}

Fact examine_cache_drop(const fs::path& root) {
  const bool allowed = ::access((root / "proc/sys/vm/drop_caches").c_str(), W_OK) == 0;
  return {
      .topic = "rights",
      .name = "drop caches",
      .state = allowed ? State::ok : State::limited,
      .detail = allowed ? "cold-cache runs are possible" : "cold-cache runs will read evicted files instead",
      .path = {},
      .remedy = allowed ? "" : "run benchmarks as root"};
}

Fact examine_io_uring() {
  io_uring_params parameters{};
  const UniqueFd ring(static_cast<int>(::syscall(__NR_io_uring_setup, 1, &parameters)));
  if (ring)
    return {
        .topic = "rights", .name = "io_uring", .state = State::ok, .detail = {}, .path = {}, .remedy = {}};
  const bool forbidden = errno == EPERM;
  return {.topic = "rights",
          .name = "io_uring",
          .state = State::limited,
          .detail = forbidden ? "forbidden to this user" : std::generic_category().message(errno),
          .path = {},
          .remedy = "sysctl kernel.io_uring_disabled=0, or a kernel from 5.1"};
}

// RDMA pins memory; 64 MiB is what a transport's buffers take before it fails in ways hard to understand.
Fact examine_locked_memory() {
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  const bool unlimited = limit.rlim_cur == RLIM_INFINITY;
  const bool enough = unlimited || limit.rlim_cur >= (rlim_t{64} << 20);
  return {.topic = "rights",
          .name = "locked memory",
          .state = enough ? State::ok : State::limited,
          .detail = unlimited ? "unlimited" : format_bytes(Bytes(limit.rlim_cur)),
          .path = {},
          .remedy = enough ? "" : "ulimit -l unlimited (RDMA pins memory)"};
}

Fact examine_descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const bool enough = limit.rlim_cur >= 1024;
  return {.topic = "rights",
          .name = "open files",
          .state = enough ? State::ok : State::limited,
          .detail = fmt::format("{} per process", limit.rlim_cur),
          .path = {},
          .remedy = enough ? "" : "ulimit -n 4096"};
}

}  // namespace

std::vector<Fact> examine_rights(const fs::path& root) {
  return {examine_fuse(root), examine_cache_drop(root), examine_io_uring(), examine_locked_memory(),
          examine_descriptors()};
}

}  // namespace weir::launch
