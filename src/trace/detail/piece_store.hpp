#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "trace/detail/piece_file.hpp"
#include "trace/process_info.hpp"

namespace weir::trace::detail {

// Pieces wait in a file without a name until the tables that come before them are known, or in the files of
// processes that were merged while they ran. Equal ones are kept once.
class PieceStore {
 public:
  static Result<std::unique_ptr<PieceStore>> create(const std::filesystem::path& directory);

  // The number of the piece, by which the others ask for it. Any thread.
  Result<std::uint32_t> add(Section type, ByteSpan payload);
  // The same for one that waits in the file of a process. Not while others add.
  std::uint32_t add(const StoredPiece& piece, std::uint32_t source);
  std::uint32_t add_source(std::filesystem::path file);

  // Appends the section of a piece to the file.
  Result<void> copy_to(AtomicFile& file, std::uint32_t number);
  Piece piece(std::uint32_t number) const { return {pieces_[number].key.type, 0, pieces_[number].key.bytes}; }

 private:
  static constexpr std::uint32_t kOwn = ~std::uint32_t{0};
  struct Place {
    PieceKey key;
    std::uint64_t offset = 0;
    std::uint32_t source = kOwn;
  };

  explicit PieceStore(UniqueFd fd) : fd_(std::move(fd)) {}
  Result<int> open_source(std::uint32_t source);

  UniqueFd fd_;
  std::mutex lock_;
  std::vector<Place> pieces_;
  std::unordered_map<PieceKey, std::uint32_t, PieceKeyHash> numbers_;
  std::uint64_t bytes_ = 0;
  std::vector<std::filesystem::path> sources_;
  UniqueFd open_;  // the source that was read last: pieces of a process stand together
  std::uint32_t opened_ = kOwn;
};

}  // namespace weir::trace::detail
