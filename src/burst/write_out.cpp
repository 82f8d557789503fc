#include "burst/write_out.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace weir::burst {
namespace {

// As much as is read at once on the way.
constexpr std::uint64_t kStep = std::uint64_t{4} << 20;

int write_at(int fd, ByteSpan bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return 0;
}

int copy(Extent rest, SegmentReader& segments, int to, std::span<std::byte> buffer) {
  while (!rest.bytes.empty()) {
    const auto part = buffer.first(std::min<std::uint64_t>(rest.bytes.size(), buffer.size()));
    if (const int error = segments.read(rest.where, part); error != 0) return error;
    if (const int error = write_at(to, part, rest.bytes.begin); error != 0) return error;
    rest = {{rest.bytes.begin + part.size(), rest.bytes.end}, rest.where.at(part.size())};
  }
  return 0;
}

}  // namespace

int write_out(const Backing& backing, const FileToWrite& file, std::span<const Extent> extents,
              SegmentReader& segments) {
  // Who made it may have failed, or died, before the name was synced.
  const bool is_new = !file.in_backing || backing.stat(file.path).error == ENOENT;
  const UniqueFd to = backing.open_to_write(file.path);
  if (!to) return errno;
  std::uint64_t longest = 0;
  for (const Extent& extent : extents) longest = std::max(longest, extent.bytes.size());
  std::vector<std::byte> buffer(std::min(kStep, longest));
  for (const Extent& extent : extents)
    if (const int error = copy(extent, segments, to.get(), buffer); error != 0) return error;
  // A hole at the end has no extent that would make the file so long.
  const off_t end = ::lseek(to.get(), 0, SEEK_END);
  if (end >= 0 && static_cast<std::uint64_t>(end) < file.attributes.size &&
      ::ftruncate(to.get(), static_cast<off_t>(file.attributes.size)) != 0)
    return errno;
  if (const int error = Backing::give(to.get(), file.attributes); error != 0) return error;
  if (::fsync(to.get()) != 0) return errno;
  return is_new ? backing.sync_folder_of(file.path) : 0;
}

int put_links(const Backing& backing, const std::string& file, const std::set<std::string>& names) {
  for (const std::string& name : names) {
    int error = backing.link(file, name);
    if (error == EEXIST && (error = backing.unlink(name)) == 0) error = backing.link(file, name);
    if (error == 0) error = backing.sync_folder_of(name);
    if (error != 0) return error;
  }
  return 0;
}

}  // namespace weir::burst
