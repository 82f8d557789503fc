#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "trace/process_info.hpp"

namespace weir::trace::detail {

// Pieces wait in a file without a name until the tables that come before them are known. Those of equal bytes
// are kept once.
class PieceStore {
 public:
  static Result<std::unique_ptr<PieceStore>> create(const std::filesystem::path& directory);

  // The number of the piece, by which the others ask for it. Any thread.
  Result<std::uint32_t> add(Section type, ByteSpan payload);
  // Appends the section of a piece to the file.
  Result<void> copy_to(AtomicFile& file, std::uint32_t number) const;
  const Piece& piece(std::uint32_t number) const { return pieces_[number]; }

 private:
  explicit PieceStore(UniqueFd fd) : fd_(std::move(fd)) {}
  Result<std::vector<std::byte>> read(std::uint64_t at, std::uint64_t bytes) const;

  UniqueFd fd_;
  std::mutex lock_;
  std::vector<Piece> pieces_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_checksum_;
  std::uint64_t bytes_ = 0;
};

}  // namespace weir::trace::detail
