#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "trace/live.hpp"

namespace weir::trace {

// What the first page of a lane says.
class LaneHeader {
 public:
  std::uint64_t operator[](live::HeaderWord word) const { return words_[static_cast<std::size_t>(word)]; }
  std::uint64_t& operator[](live::HeaderWord word) { return words_[static_cast<std::size_t>(word)]; }
  bool timed() const { return ((*this)[live::HeaderWord::version] & live::kTimed) != 0; }

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(live::HeaderWord::state) + 1> words_{};
};

// Reads what a recorder left, frame by frame and the tail last; also of a process that was killed, or that is
// still running.
class LaneFile {
 public:
  static Result<LaneFile> open(const std::filesystem::path& path);

  const LaneHeader& header() const { return header_; }
  std::uint64_t header(live::HeaderWord word) const { return header_[word]; }
  bool timed() const { return header_.timed(); }
  std::uint64_t file_bytes() const { return file_bytes_; }

  // The next batch of words; empty at the end. A damaged frame is an error that names it; calling again goes
  // on behind it.
  Result<std::vector<std::uint32_t>> next();

 private:
  Result<std::vector<std::byte>> read(std::uint64_t at, std::uint64_t bytes) const;
  Result<std::vector<std::uint32_t>> tail();

  UniqueFd fd_;
  std::string path_;
  LaneHeader header_;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t at_ = live::kHeaderBytes + live::kTailBytes;
  std::uint32_t next_batch_ = 0;
  bool tail_read_ = false;
};

}  // namespace weir::trace
