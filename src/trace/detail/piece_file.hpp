#pragma once

#include <cstdint>
#include <filesystem>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "trace/format.hpp"

namespace weir::trace::detail {

// What tells a piece from others without looking at its bytes: two checksums of 64 bits.
struct PieceKey {
  Section type = Section::block;
  std::uint64_t bytes = 0;  // of its payload
  std::uint64_t sum = 0;    // as it stands in the section's header
  std::uint64_t other_sum = 0;

  static PieceKey of(Section type, ByteSpan payload);
  friend bool operator==(const PieceKey&, const PieceKey&) = default;
};

struct PieceKeyHash {
  std::size_t operator()(const PieceKey& key) const { return key.sum ^ static_cast<std::uint64_t>(key.type); }
};

// The section of a piece, as it is written.
ByteWriter piece_section(const PieceKey& key, ByteSpan payload);

// A piece that waits in the file of its process.
struct StoredPiece {
  PieceKey key;
  std::uint64_t offset = 0;  // of its section
};

// The pieces of one process, in a file beside its lanes, until the run is over.
class PieceFile {
 public:
  static Result<PieceFile> create(const std::filesystem::path& path);
  PieceFile(PieceFile&&) noexcept = default;
  PieceFile& operator=(PieceFile&&) = delete;
  ~PieceFile();  // without keep() the file is gone

  Result<std::uint32_t> add(Section type, ByteSpan payload);
  std::vector<StoredPiece> keep();

 private:
  PieceFile(UniqueFd fd, std::filesystem::path path) : fd_(std::move(fd)), path_(std::move(path)) {}

  UniqueFd fd_;
  std::filesystem::path path_;
  std::vector<StoredPiece> pieces_;
  std::unordered_map<PieceKey, std::uint32_t, PieceKeyHash> numbers_;
  std::uint64_t bytes_ = 0;
};

}  // namespace weir::trace::detail
