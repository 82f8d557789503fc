#include "stats/detail/line_reader.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace weir::stats::detail {

namespace {
constexpr std::size_t kFirstBuffer = std::size_t{256} << 10;
}

LineReader::LineReader(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)), buffer_(kFirstBuffer) {}

Result<bool> LineReader::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= kLongestLine)
      return Error{Errc::too_big,
                   fmt::format("line {} is longer than {} MiB", number_ + 1, kLongestLine >> 20)};
    buffer_.resize(buffer_.size() * 2);
  }
  const auto got = source_->read(buffer_.data() + end_, buffer_.size() - end_);
  if (!got) return got.error().in(fmt::format("after line {}", number_));
  if (*got == 0) return false;
  if (std::memchr(buffer_.data() + end_, 0, *got) != nullptr)
    return Error{Errc::bad_data, fmt::format("has a zero byte after line {}: this is no text file", number_)};
  end_ += *got;
  return true;
}

Result<bool> LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const void* newline = nullptr;
    if (searched < end_) newline = std::memchr(buffer_.data() + searched, '\n', end_ - searched);
    std::size_t stop = end_;
    std::size_t after = end_;
    if (newline != nullptr) {
      stop = static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data());
      after = stop + 1;
    } else if (!ended_) {
      const std::size_t kept = end_ - begin_;
      const auto more = fill();
      if (!more) return more.error();
      ended_ = !*more;
      searched = begin_ + kept;
      continue;
    } else if (begin_ == end_) {
      return false;
    }
    line = std::string_view(buffer_.data() + begin_, stop - begin_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    begin_ = after;
    ++number_;
    return true;
  }
}

}  // namespace weir::stats::detail
