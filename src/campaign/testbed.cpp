#include "campaign/testbed.hpp"

#include <algorithm>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/own_files.hpp"
#include "launch/machine.hpp"
#include "launch/process.hpp"

namespace weir::campaign {
namespace {

namespace fs = std::filesystem;

constexpr Nanoseconds kLongest(120'000'000'000);

Result<void> join_group(const fs::path& group) {
  const fs::path file = group / "cgroup.procs";
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd || !write_all(fd.get(), as_bytes(fmt::format("{}\n", ::getpid()))))
    return Error{Errc::lacking, "cannot join the throttled group"}.in(file.string());
  return {};
}

// A flush of a loop device waits for the disk below, which others write to as well: in memory the limit alone
// decides.
fs::path place_of_images(Bytes needed) {
  const fs::path memory = "/dev/shm";
  struct statvfs space {};
  if (std::getenv("TMPDIR") != nullptr || ::statvfs(memory.c_str(), &space) != 0)
    return fs::temp_directory_path();
  const std::uint64_t room =
      std::min(static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize, launch::available_memory().count);
  return room / 2 >= needed.count ? memory : fs::temp_directory_path();
}

}  // namespace

Result<Testbed> Testbed::up(const Options& options) {
  const auto script = find_own_file("testbed");
  if (!script) return script.error();
  // ext4 keeps some of a device for itself.
  const std::uint64_t mebibytes = ((options.size.count + options.size.count / 8) >> 20U) + 16;
  Testbed bed;
  bed.script_ = *script;
  bed.scratch_ = std::make_unique<ScratchDir>(place_of_images(Bytes((mebibytes << 20U) * options.count)));
  bed.directory_ = bed.scratch_->path() / "testbed";
  auto guardian = launch::Guardian::start(
      [script = bed.script_, directory = bed.directory_, whole = bed.scratch_->path()] {
        (void)launch::run_and_capture({script, "down", directory}, kLongest);
        std::error_code ignored;
        fs::remove_all(whole, ignored);
      });
  if (!guardian) return guardian.error();
  bed.guardian_ = *std::move(guardian);
  const std::uint64_t mebibytes_per_second = std::max<std::uint64_t>(1, options.rate.count >> 20U);
  const std::uint64_t dirty = options.dirty ? std::max<std::uint64_t>(1, options.dirty->count >> 20U) : 0;
  const auto made = launch::run_and_capture(
      {bed.script_, "up", bed.directory_, fmt::to_string(options.count), fmt::to_string(mebibytes),
       fmt::to_string(mebibytes_per_second), fmt::to_string(dirty)},
      kLongest);
  if (!made) return made.error().in("testbed");
  if (made->status != 0)
    return Error{
        made->status == 3 ? Errc::lacking : Errc::io,
        made->output.empty() ? "failed" : made->output.substr(0, made->output.find_last_not_of('\n') + 1)}
        .in("testbed");
  std::string_view text = made->output;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("group ")) {
      if (const auto joined = join_group(line.substr(6)); !joined) return joined.error();
    } else if (line.starts_with("testbed: ")) {
      warn("{}", line);
    } else if (!line.empty()) {
      bed.targets_.emplace_back(line);
    }
  }
  if (bed.targets_.size() != options.count)
    return Error{Errc::internal,
                 fmt::format("made {} targets instead of {}", bed.targets_.size(), options.count)}
        .in("testbed");
  return bed;
}

Testbed::~Testbed() {
  if (const auto gone = down(); !gone) warn("the testbed is not taken down: {}", gone.error().text());
}

Result<void> Testbed::down() {
  if (directory_.empty() || !scratch_) return {};
  const fs::path directory = std::exchange(directory_, {});
  const auto gone = launch::run_and_capture({script_, "down", directory}, kLongest);
  if (guardian_) guardian_->dismiss();
  if (!gone) return gone.error();
  if (gone->status != 0) return Error{Errc::io, gone->output}.in(directory.string());
  return {};
}

}  // namespace weir::campaign
