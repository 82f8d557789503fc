#include "campaign/watched.hpp"

#include <limits>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/json.hpp"
#include "base/parallel.hpp"
#include "base/unique_fd.hpp"

namespace weir::campaign {
namespace {

// What is still dirty from before would reach the device during the run and look like others' traffic.
void flush_before(const std::filesystem::path& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) ::syncfs(fd.get());
}

}  // namespace

Watched Watched::begin(const std::filesystem::path& directory, const Options& options, RunRow& row) {
  Watched watched(options);
  if (options.monitors) {
    flush_before(directory);
    monitor::WatchOptions what;
    what.root = options.root;
    what.directories = {directory};
    auto started = monitor::Watch::start(what);
    if (started)
      watched.watch_ = *std::move(started);
    else
      row.notes.push_back(started.error().text());
  }
  watched.before_ = monitor::own_traffic(options.root);
  return watched;
}

void Watched::end(RunRow& row) {
  after_ = monitor::own_traffic(options_.root);
  if (!watch_) return;
  seen_ = watch_->stop();
  row.monitors = to_json(*seen_);
}

void Watched::judge(RunRow& row, std::uint32_t workers) const {
  if (!seen_) return;
  if (!before_ || !after_) {
    row.notes.push_back("not judged: " + (before_ ? after_ : before_).error().text());
    return;
  }
  monitor::Limits limits = options_.limits;
  if (workers >= usable_cores()) {
    limits.cpu_pressure = std::numeric_limits<double>::infinity();
    row.notes.push_back("processor pressure is not judged: there are as many workers as cores, or more");
  }
  const monitor::Traffic own = after_->since(*before_);
  const auto verdict = monitor::judge(*seen_, own.read, own.written, limits);
  for (const std::string& note : verdict.notes) row.notes.push_back(note);
  if (verdict.clean) return;
  row.state = RunState::disturbed;
  row.reason = fmt::format("{}", fmt::join(verdict.reasons, "; "));
}

}  // namespace weir::campaign
