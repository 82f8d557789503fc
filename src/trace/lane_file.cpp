#include "trace/lane_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.hpp"
#include "base/compress.hpp"
#include "base/file.hpp"
#include "trace/word_pack.hpp"

namespace weir::trace {
namespace {

std::vector<std::uint32_t> as_words(ByteSpan bytes) {
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof words[0]);
  return words;
}

}  // namespace

Result<LaneFile> LaneFile::open(const std::filesystem::path& path) {
  auto fd = open_file(path, O_RDONLY);
  if (!fd) return fd.error();
  struct stat seen {};
  if (fstat(fd->get(), &seen) != 0) return Error::from_errno(errno, "cannot look at it").in(path.string());
  LaneFile lane;
  lane.fd_ = std::move(*fd);
  lane.path_ = path.string();
  lane.file_bytes_ = static_cast<std::uint64_t>(seen.st_size);
  const auto page = lane.read(0, live::kHeaderBytes);
  if (!page) return page.error();
  std::memcpy(&lane.header_, page->data(), sizeof lane.header_);
  if (lane.header(live::HeaderWord::magic) != live::kMagic)
    return Error{Errc::bad_data, "is not what a recorder leaves, or was ended while it was made"}.in(
        lane.path_);
  const auto version = static_cast<std::uint32_t>(lane.header(live::HeaderWord::version));
  if (version != live::kVersion)
    return Error{Errc::unsupported, fmt::format("has version {} of the live format; this Weir reads {}",
                                                version, live::kVersion)}
        .in(lane.path_);
  return lane;
}

Result<std::vector<std::byte>> LaneFile::read(std::uint64_t at, std::uint64_t bytes) const {
  if (at > file_bytes_ || bytes > file_bytes_ - at)
    return Error{Errc::bad_data, fmt::format("is cut short: {} bytes, {} wanted", file_bytes_, at + bytes)}
        .in(path_);
  std::vector<std::byte> out(bytes);
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t piece = pread(fd_.get(), out.data() + got, bytes - got, static_cast<off_t>(at + got));
    if (piece < 0 && errno == EINTR) continue;
    if (piece < 0) return Error::from_errno(errno, "cannot read").in(path_);
    if (piece == 0) return Error{Errc::bad_data, "ends while it is read"}.in(path_);
    got += static_cast<std::size_t>(piece);
  }
  return out;
}

Result<std::vector<std::uint32_t>> LaneFile::next() {
  if (at_ + sizeof(live::FrameHeader) > file_bytes_) return tail();
  const auto bytes = read(at_, sizeof(live::FrameHeader));
  if (!bytes) return bytes.error();
  live::FrameHeader frame{};
  std::memcpy(&frame, bytes->data(), sizeof frame);
  const std::uint64_t begin = at_ + sizeof frame;
  // A process that dies while it seals leaves a part of a frame; its tail is then still whole.
  if (frame.magic != live::kFrameMagic || frame.bytes > file_bytes_ - begin ||
      frame.raw_bytes > live::kTailBytes)
    return tail();
  const auto packed = read(begin, frame.bytes);
  if (!packed) return packed.error();
  if (checksum(*packed) != frame.checksum) {
    const std::uint64_t in_tail = header(live::HeaderWord::state) >> 32;
    if (begin + frame.bytes == file_bytes_ && frame.batch == in_tail) return tail();  // likewise
    at_ = begin + frame.bytes;
    next_batch_ = frame.batch + 1;
    return Error{Errc::bad_data, fmt::format("frame {} is damaged", frame.batch)}.in(path_);
  }
  at_ = begin + frame.bytes;
  next_batch_ = frame.batch + 1;
  const auto packing = static_cast<FramePacking>(frame.reserved);
  if (packing == FramePacking::plain) return as_words(*packed);
  if (packing == FramePacking::words) {
    auto words = unpack_words(*packed, frame.raw_bytes / sizeof(std::uint32_t));
    if (words) return std::move(*words);
    return Error{Errc::bad_data, fmt::format("frame {} is not as long as it says", frame.batch)}.in(path_);
  }
  if (packing != FramePacking::zstd)
    return Error{Errc::unsupported, fmt::format("frame {} is packed in a way that is not known", frame.batch)}
        .in(path_);
  const auto raw = unpack_frame(*packed, frame.raw_bytes);
  if (!raw) return raw.error().in(fmt::format("frame {}", frame.batch)).in(path_);
  return as_words(*raw);
}

Result<std::vector<std::uint32_t>> LaneFile::tail() {
  if (tail_read_) return std::vector<std::uint32_t>();
  tail_read_ = true;
  const std::uint64_t state = header(live::HeaderWord::state);
  const auto batch = static_cast<std::uint32_t>(state >> 32);
  const std::uint64_t words = state & 0xffffffff;
  if (batch > next_batch_) {
    // What the tail holds builds on them.
    const std::string which = batch == next_batch_ + 1
                                  ? fmt::format("frame {} is", next_batch_)
                                  : fmt::format("frames {} to {} are", next_batch_, batch - 1);
    return Error{Errc::bad_data, which + " missing"}.in(path_);
  }
  if (batch < next_batch_ || words == 0)
    return std::vector<std::uint32_t>();  // it was sealed, then the end came
  if (words > live::kTailWords) return Error{Errc::bad_data, "states a tail that is too long"}.in(path_);
  const auto bytes = read(live::kHeaderBytes, words * sizeof(std::uint32_t));
  if (!bytes) return bytes.error();
  return as_words(*bytes);
}

}  // namespace weir::trace
