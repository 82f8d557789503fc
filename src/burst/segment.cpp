#include "burst/segment.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/checksum.hpp"
#include "base/file.hpp"

namespace weir::burst {
namespace {

constexpr std::uint64_t kMagic = 0x4d47'4553'5249'4557;  // "WEIRSEGM"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kLongestJob = 255;
constexpr std::size_t kChecksumAt = kSegmentHeader - 8;

// The device has room for so much more.
bool has_room(int fd, std::uint64_t bytes) {
  struct statvfs facts {};
  if (::fstatvfs(fd, &facts) != 0 || facts.f_blocks == 0) return true;  // it does not say
  return facts.f_bavail >= bytes / facts.f_frsize;
}

int fill(int fd, const SegmentHeader& header, Reserve reserve) {
  const auto bytes = static_cast<off_t>(header.bytes);
  if (reserve == Reserve::now) {
    if (const int error = ::posix_fallocate(fd, 0, bytes); error != 0) return error;
  } else {
    if (!has_room(fd, header.bytes)) return ENOSPC;
    if (::ftruncate(fd, bytes) != 0) return errno;
  }
  const auto page = encode_segment_header(header);
  for (std::size_t done = 0; done < page.size();) {
    const ssize_t written = ::pwrite(fd, page.data() + done, page.size() - done, static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    done += static_cast<std::size_t>(written);
  }
  return 0;
}

}  // namespace

std::array<std::byte, kSegmentHeader> encode_segment_header(const SegmentHeader& header) {
  ByteWriter out;
  out.u64(kMagic);
  out.u32(kVersion);
  out.u32(header.node);
  out.u32(header.number);
  out.u32(0);
  out.u64(header.client);
  out.u64(header.bytes);
  out.string(std::string_view(header.job).substr(0, kLongestJob));
  std::array<std::byte, kSegmentHeader> page{};
  std::copy(out.view().begin(), out.view().end(), page.begin());
  ByteWriter sum;
  sum.u64(checksum(ByteSpan(page).first(kChecksumAt)));
  std::copy(sum.view().begin(), sum.view().end(), page.begin() + kChecksumAt);
  return page;
}

Result<SegmentHeader> decode_segment_header(ByteSpan page) {
  const Error not_one{Errc::bad_data, "not a segment of a burst buffer"};
  if (page.size() < kSegmentHeader) return not_one;
  page = page.first(kSegmentHeader);
  ByteReader in(page);
  if (*in.u64() != kMagic) return not_one;
  const std::uint32_t version = *in.u32();
  if (*ByteReader(page.subspan(kChecksumAt)).u64() != checksum(page.first(kChecksumAt)))
    return Error{Errc::bad_data, "the segment's header is damaged"};
  if (version != kVersion)
    return Error{Errc::unsupported,
                 fmt::format("a segment of version {}, this program reads {}", version, kVersion)};
  SegmentHeader header;
  header.node = *in.u32();
  header.number = *in.u32();
  in.u32().value();
  header.client = *in.u64();
  header.bytes = *in.u64();
  const auto job = in.string(kLongestJob);
  if (!job) return job.error();
  header.job = *job;
  return header;
}

Result<SegmentHeader> read_segment_header(const std::filesystem::path& path) {
  const auto fd = open_file(path, O_RDONLY);
  if (!fd) return fd.error();
  std::array<std::byte, kSegmentHeader> page{};
  const ssize_t got = ::pread(fd->get(), page.data(), page.size(), 0);
  if (got < 0) return Error::from_errno(errno, "cannot read").in(path.string());
  auto header = decode_segment_header(ByteSpan(page).first(static_cast<std::size_t>(got)));
  return header ? header : header.error().in(path.string());
}

std::string segment_name(std::uint64_t client, std::uint32_t number) {
  return fmt::format("{}-{}", client, number);
}

int create_segment(const std::filesystem::path& path, const SegmentHeader& header, Reserve reserve) {
  int fd = -1;
  do fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  while (fd < 0 && errno == EINTR);
  if (fd < 0) return errno;
  const UniqueFd file(fd);
  const int error = fill(fd, header, reserve);
  if (error != 0) ::unlink(path.c_str());
  return error;
}

}  // namespace weir::burst
