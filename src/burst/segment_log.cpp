#include "burst/segment_log.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/moved_up.hpp"

namespace weir::burst {
namespace {

constexpr std::uint64_t kFirstSize = std::uint64_t{4} << 20;
constexpr std::uint64_t kLargestSize = std::uint64_t{64} << 20;
constexpr std::uint64_t kPage = 4096;

std::uint64_t size_of_segment(std::uint32_t number) {
  return number >= 3 ? kLargestSize : kFirstSize << (2 * (number - 1));
}

// How much was written, and errno if that is not all. `written` is what the first log_write() said.
std::pair<std::uint64_t, int> write_at(int fd, ByteSpan bytes, std::uint64_t position, ssize_t written) {
  for (std::uint64_t done = 0;;) {
    if (written < 0 && errno != EINTR) return {done, errno};
    if (written == 0) return {done, EIO};
    if (written > 0) done += static_cast<std::uint64_t>(written);
    if (done == bytes.size()) return {done, 0};
    written = log_write(fd, bytes.subspan(done), position + done);
  }
}

}  // namespace

SegmentLog::SegmentLog(Allocate allocate) : allocate_(std::move(allocate)) {}
SegmentLog::~SegmentLog() = default;

SegmentLog::Allocate SegmentLog::in_directory(std::filesystem::path directory, SegmentHeader like,
                                              Reserve reserve) {
  return [directory = std::move(directory), like = std::move(like), reserve](
             std::uint32_t number, std::uint64_t bytes, std::string& path, std::uint64_t& size) {
    SegmentHeader header = like;
    header.number = number;
    header.bytes = bytes;
    path = (directory / segment_name(header.client, number)).string();
    size = bytes;
    return create_segment(path, header, reserve);
  };
}

int SegmentLog::begin_segment(std::uint64_t needed) {
  const std::uint64_t wanted =
      std::max(size_of_segment(number_ + 1), std::min(needed + kSegmentHeader, kLargestSize));
  std::string path;
  std::uint64_t size = 0;
  current_.reset();
  settle_locked();
  if (const int error = allocate_(number_ + 1, wanted, path, size); error != 0) return error;
  auto segment = std::make_shared<Segment>();
  segment->fd = moved_up(UniqueFd(::open(path.c_str(), O_WRONLY | O_CLOEXEC)));
  if (!segment->fd) return errno;
  if (size <= kSegmentHeader) return EIO;
  segment->bytes = size;
  current_ = std::move(segment);
  unsettled_.push_back(current_);
  position_ = kSegmentHeader;
  ++number_;
  return 0;
}

int SegmentLog::reserve(std::uint64_t bytes, Part& part) {
  const std::lock_guard lock(mutex_);
  // A page that is written whole need not be cleared first. Whoever writes pages gets them, once that is a
  // habit: a page now and then among odd lengths would waste more than it saves.
  const bool pages = bytes % kPage == 0;
  if (pages && last_was_pages_) position_ = (position_ + kPage - 1) / kPage * kPage;
  last_was_pages_ = pages;
  if (current_ == nullptr || position_ >= current_->bytes)
    if (const int error = begin_segment(bytes); error != 0) return error;
  part.segment = current_;
  part.slice = {number_, position_, std::min(bytes, current_->bytes - position_)};
  position_ += part.slice.length;
  return 0;
}

// A write over the end of a segment, or one that the kernel did not do at once or at all: goes on where
// append() is, after the first log_write() of the first part.
int SegmentLog::append_rest(ByteSpan bytes, Part part, ssize_t written, LogSlices& slices, Pin* pin) {
  bool was_full = false;
  const Pin first = part.segment;  // later ones are settled after it
  for (;;) {
    LogSlice slice = part.slice;
    const auto [done, error] =
        write_at(part.segment->fd.get(), bytes.first(slice.length), slice.position, written);
    slice.length = done;
    if (done != 0) slices.push_back(slice);
    bytes = bytes.subspan(done);
    if (error != 0) {
      const std::lock_guard lock(mutex_);
      if (current_ == part.segment) current_.reset();
      if (error != ENOSPC || std::exchange(was_full, true)) return error;
    }
    if (bytes.empty()) break;
    if (const int failed = reserve(bytes.size(), part); failed != 0) return failed;
    written = log_write(part.segment->fd.get(), bytes.first(part.slice.length), part.slice.position);
  }
  if (pin != nullptr) *pin = first;
  return 0;
}

void SegmentLog::seal() {
  const std::lock_guard lock(mutex_);
  current_.reset();
}

void SegmentLog::settle() {
  const std::lock_guard lock(mutex_);
  settle_locked();
}

void SegmentLog::settle_locked() {
  while (!unsettled_.empty() && unsettled_.front().expired()) {
    unsettled_.pop_front();
    ++settled_;
  }
}

}  // namespace weir::burst
