#include "cli/run_stage.hpp"

#include <algorithm>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>

#include "base/log.hpp"
#include "base/units.hpp"
#include "burst/client/file_system.hpp"
#include "burst/this_node.hpp"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

struct Found {
  std::string name;  // below the directory
  std::uint64_t size = 0;
};

Result<std::vector<Found>> files_in(const fs::path& root) {
  std::vector<Found> found;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(root, error); !error && at != fs::end(at);
       at.increment(error)) {
    std::error_code ignored;
    if (at->path().filename().string().starts_with(".weir-"))
      at.disable_recursion_pending();
    else if (at->is_regular_file(ignored) && !at->is_symlink(ignored))
      found.push_back({at->path().lexically_relative(root).string(), at->file_size(ignored)});
  }
  if (error) return Error::from_errno(error.value(), "cannot be read").in(root.string());
  std::ranges::sort(found, {}, &Found::name);
  return found;
}

Result<std::vector<Found>> chosen(std::vector<Found> all, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return all;
  std::vector<bool> taken(all.size());
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (::fnmatch(pattern.c_str(), all[i].name.c_str(), 0) == 0) any = taken[i] = true;
    if (!any)
      return Error{Errc::usage, fmt::format("--stage-in: no file matches '{}'", pattern)}.with_remedy(
          "patterns are of names below --dir; quote them against the shell");
  }
  std::vector<Found> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (taken[i]) some.push_back(std::move(all[i]));
  return some;
}

// What one node's buffer can take.
std::uint64_t room_in(const burst::Job& job, std::uint32_t node) {
  std::error_code failed;
  const auto space = fs::space(job.servers[node].directory, failed);
  std::uint64_t room = failed ? 0 : space.available;
  if (job.quota_bytes > 0) room = std::min(room, job.quota_bytes);
  return room;
}

// The file's bytes into the log, published, and known to be what the backing file has. A file of which the
// buffer has bytes already stays as it is: they may be newer. Whether it was brought in.
burst::Outcome<bool> bring_in(burst::FileSystem& system, const Found& file) {
  const auto there = system.look(file.name);
  if (!there) return {there.error, false};
  const burst::FileId id = there.body.file;
  const auto opened = system.adopt(id, O_RDWR);  // by its number: the program may not be allowed to write it
  if (!opened) return {opened.error, false};
  std::vector<burst::Extent> known;
  if (const int error = opened.body->owners(burst::kWholeFile, known); error != 0) return {error, false};
  if (!known.empty()) return {0, false};
  std::vector<std::byte> part(std::size_t{4} << 20);
  for (std::uint64_t at = 0; at < file.size;) {
    const burst::Transfer read = opened.body->pread(part, at);
    if (read.error != 0) return {read.error, false};
    if (read.bytes == 0) break;
    const burst::Transfer written = opened.body->pwrite(ByteSpan(part).first(read.bytes), at);
    if (written.error != 0) return {written.error, false};
    at += read.bytes;
  }
  if (const int error = opened.body->attach_all(); error != 0) return {error, false};
  return {system.session().ask(id.home(), burst::MarkClean{id}).error, true};
}

}  // namespace

Result<Staged> stage_in(const burst::Job& job, const std::vector<std::string>& patterns, bool all_here) {
  auto all = files_in(job.backing);
  if (!all) return all.error();
  const auto files = chosen(std::move(*all), patterns);
  if (!files) return files.error();

  struct Node {
    std::unique_ptr<burst::FileSystem> system;
    std::uint64_t room = 0;
  };
  burst::Job quiet = job;
  quiet.verify = false;  // what is copied here is no program's doing, nor by a program's model
  quiet.model = "session";
  quiet.policy.clear();
  std::vector<Node> nodes;
  const auto here = burst::server_of_this_node(job);
  for (std::uint32_t i = 0; i < job.servers.size(); ++i) {
    if (!all_here && i != (here ? *here : 0)) continue;
    auto system = burst::FileSystem::connect(quiet, i);
    if (!system) return system.error();
    nodes.push_back({std::move(*system), room_in(job, i)});
  }
  Staged staged;
  std::uint64_t left_out = 0;
  for (std::size_t i = 0; i < files->size(); ++i) {
    const Found& file = (*files)[i];
    const auto roomiest = std::ranges::max_element(nodes, {}, &Node::room);
    // Segments are whole, so the buffer is never filled to its last byte.
    constexpr std::uint64_t kReserve = std::uint64_t{64} << 20;
    if (roomiest->room < file.size + kReserve) {
      ++left_out;
      continue;
    }
    const auto brought = bring_in(*roomiest->system, file);
    if (!brought)
      return Error::from_errno(brought.error, "cannot be brought into the buffer")
          .in((job.backing / file.name).string());
    if (!brought.body) continue;
    roomiest->room -= file.size;
    ++staged.files;
    staged.bytes += file.size;
  }
  if (left_out > 0)
    warn("{} of {} files did not fit into the buffer and are read from the directory", left_out,
         files->size());
  return staged;
}

}  // namespace weir::cli
