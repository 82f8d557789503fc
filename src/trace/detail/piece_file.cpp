#include "trace/detail/piece_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/checksum.hpp"
#include "base/file.hpp"

namespace weir::trace::detail {

PieceKey PieceKey::of(Section type, ByteSpan payload) {
  constexpr std::uint64_t kOtherSeed = 0x9E3779B97F4A7C15;
  return {type, payload.size(), checksum(payload), checksum(payload, kOtherSeed)};
}

ByteWriter piece_section(const PieceKey& key, ByteSpan payload) {
  ByteWriter section;
  section.u32(static_cast<std::uint32_t>(key.type));
  section.u32(0);
  section.u64(key.bytes);
  section.u64(key.sum);
  section.bytes(payload);
  return section;
}

Result<PieceFile> PieceFile::create(const std::filesystem::path& path) {
  auto fd = open_file(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!fd) return fd.error();
  return PieceFile(std::move(*fd), path);
}

PieceFile::~PieceFile() {
  if (fd_) ::unlink(path_.c_str());
}

Result<std::uint32_t> PieceFile::add(Section type, ByteSpan payload) {
  const PieceKey key = PieceKey::of(type, payload);
  const auto [found, fresh] = numbers_.try_emplace(key, static_cast<std::uint32_t>(pieces_.size()));
  if (!fresh) return found->second;
  const ByteWriter section = piece_section(key, payload);
  if (const auto done = write_all(fd_.get(), section.view()); !done) return done.error().in(path_.string());
  pieces_.push_back({key, bytes_});
  bytes_ += section.size();
  return found->second;
}

std::vector<StoredPiece> PieceFile::keep() {
  fd_.reset();
  return std::move(pieces_);
}

}  // namespace weir::trace::detail
