#include "trace/detail/piece_store.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "base/checksum.hpp"

namespace weir::trace::detail {

Result<std::unique_ptr<PieceStore>> PieceStore::create(const std::filesystem::path& directory) {
  const auto make = [](int fd) { return std::unique_ptr<PieceStore>(new PieceStore(UniqueFd(fd))); };
  const int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return make(fd);
  std::string name = (directory / ".pieces-XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named < 0) return Error::from_errno(errno, "cannot write").in(directory.string());
  ::unlink(name.c_str());
  return make(named);
}

Result<std::uint32_t> PieceStore::add(Section type, ByteSpan payload) {
  const std::uint64_t sum = checksum(payload);
  ByteWriter section;
  section.u32(static_cast<std::uint32_t>(type));
  section.u32(0);
  section.u64(payload.size());
  section.u64(sum);
  section.bytes(payload);

  const std::lock_guard guard(lock_);
  const auto [first, last] = by_checksum_.equal_range(sum);
  for (auto at = first; at != last; ++at) {
    const Piece& known = pieces_[at->second];
    if (known.type != type || known.bytes != payload.size()) continue;
    const auto bytes = read(known.offset, section.size());
    if (!bytes) return bytes.error();
    if (std::ranges::equal(*bytes, section.view())) return at->second;
  }
  if (const auto done = write_all(fd_.get(), section.view()); !done) return done.error();
  const auto number = static_cast<std::uint32_t>(pieces_.size());
  pieces_.push_back({type, bytes_, payload.size()});
  by_checksum_.emplace(sum, number);
  bytes_ += section.size();
  return number;
}

Result<void> PieceStore::copy_to(AtomicFile& file, std::uint32_t number) const {
  const Piece& piece = pieces_[number];
  const auto bytes = read(piece.offset, kSectionHeaderBytes + piece.bytes);
  if (!bytes) return bytes.error();
  return file.write(*bytes);
}

Result<std::vector<std::byte>> PieceStore::read(std::uint64_t at, std::uint64_t bytes) const {
  std::vector<std::byte> out(bytes);
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t piece = pread(fd_.get(), out.data() + got, bytes - got, static_cast<off_t>(at + got));
    if (piece < 0 && errno == EINTR) continue;
    if (piece <= 0) return Error::from_errno(piece < 0 ? errno : EIO, "cannot read back the blocks");
    got += static_cast<std::size_t>(piece);
  }
  return out;
}

}  // namespace weir::trace::detail
